import Glibc

/// A detached thread, which ends when its work is done.
package enum DetachedThread {
    /// Starts a thread.
    ///
    /// - Parameter work: The function to run. It isn't called if the thread can't be created.
    /// - Throws: The system's error.
    package static func start(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Work(work))
        let failed = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        guard failed == 0 else {
            context.release()
            throw SystemError(code: failed)
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
