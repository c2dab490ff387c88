/// The storage of a daemon's state.
package struct StorageReport: OperatorMessage {
    package var directory: String
    /// The number of bytes that the daemon can still write to the directory.
    package var freeBytes: Int
    /// The problem with the directory or its database, if any.
    package var problem: String?

    package init(directory: String, problem: String? = nil, freeBytes: Int) {
        self.directory = directory
        self.problem = problem
        self.freeBytes = freeBytes
    }
}
