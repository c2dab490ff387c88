import DeviceKit
import Jinja

/// The code that a lock or an alarm panel requires.
///
/// It never appears in a log or an error.
enum AccessCode: Equatable, Sendable {
    case none
    case required
    case known(String)

    /// The configuration key for the path of a file that contains the code.
    ///
    /// Announcements can't set it: any client can announce a device, and would then receive the code.
    static let fileKey = "code_file"
    /// The configuration keys of a device with a code.
    static let keys = ["code", fileKey]

    /// Creates the code from the configured text, which is `nil` or empty if no code is configured.
    init(_ text: String?, isRequired: Bool) {
        self = if let text, !text.isEmpty { .known(text) } else { isRequired ? .required : .none }
    }

    /// Returns the code for the template of a command.
    ///
    /// - Parameters:
    ///   - device: The noun for the device.
    ///   - read: The code that was read from a file, or `nil` if the configuration names no file.
    /// - Returns: The code as a template's value, which is `none` if the device requires no code.
    /// - Throws: `LightError.refused` if the code isn't known.
    func variable(of device: String, read: String?) throws(LightError) -> JinjaValue {
        if let read { return .string(read) }
        switch self {
        case .none: return .none
        case .known(let code): return .string(code)
        case .required:
            throw .refused("the \(device) requires a code; configure the \(device) under lights: with a code_file")
        }
    }
}

extension AccessCode: CustomStringConvertible, CustomReflectable {
    var description: String { "code" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
