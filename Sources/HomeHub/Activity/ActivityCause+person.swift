package import BoundedJSON
package import HomeModel
import TerminalKit

extension ActivityCause {
    /// Returns the name of the app's user that a request contains, without control characters; `nil` if it contains
    /// none.
    package static func person(in parameters: JSONValue) -> String? {
        guard case .string(let text)? = parameters[personKey] else { return nil }
        let scalars = text.unicodeScalars.prefix(longestPerson).map { $0.isPrintable ? $0 : " " }
        let name = String(String.UnicodeScalarView(scalars))
        return name.allSatisfy(\.isWhitespace) ? nil : name
    }
}
