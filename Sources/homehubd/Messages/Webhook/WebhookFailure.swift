import HTTPKit

/// The reason why a webhook didn't accept a message.
struct WebhookFailure: Error, Equatable, Sendable {
    let reason: String
    /// A Boolean value that indicates whether the same request may succeed later.
    var isTemporary = true
    /// The delay that the receiver asks for.
    var requestedDelay: Duration?
}

extension WebhookFailure {
    init(_ fault: HTTPFault) {
        switch fault {
        case .certificate, .otherCertificate: self.init(reason: fault.text, isTemporary: false)
        case .connection, .timedOut, .tooLong: self.init(reason: fault.text)
        }
    }

    /// Creates a failure from a response; returns `nil` if the receiver accepted the message.
    init?(_ answer: HTTPClientResponse) {
        switch answer.status {
        case 200..<300: return nil
        case 300..<400: self.init(reason: "it redirects to another URL; use that URL", isTemporary: false)
        case 501, 505: self.init(reason: "status \(answer.status)", isTemporary: false)
        case 408, 425, 429, 500...599:
            self.init(
                reason: "status \(answer.status)",
                requestedDelay: answer.headers["retry-after"].flatMap { UInt32($0) }.map { .seconds(Int64($0)) })
        default: self.init(reason: "status \(answer.status)", isTemporary: false)
        }
    }
}
