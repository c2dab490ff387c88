import BoundedJSON
import HTTPKit

extension HTTPClientResponse {
    /// The reason why an unexpected answer may be temporary, so that the request should be retried.
    ///
    /// It is `nil` if the answer is complete, which means that the device isn't of the expected kind.
    ///
    /// A device that is starting or overloaded may answer with a server error, an empty body, or incomplete JSON.
    var transientFault: String? {
        switch status {
        case 501, 505: return nil
        case 408, 425, 429, 500...599: return "it answered with status \(status)"
        case 200:
            guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }) else { return "its answer is empty" }
            guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
            let isWhole = (try? JSONValue(parsing: body, maximumLength: max(body.count, 1))) != nil
            return isWhole ? nil : "its answer is cut off"
        default: return nil
        }
    }
}
