/// The reason why a catalog can't be used.
package struct CatalogError: Error, Equatable, CustomStringConvertible {
    package let line: Int
    package let reason: String

    package var description: String { "line \(line): \(reason)" }
}
