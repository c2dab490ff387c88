import BoundedJSON
import DeviceKit

/// A device that uses TP-Link's newer protocol, whose encryption key depends on the password of the TP-Link account.
///
/// Such devices, including older devices after a firmware update, answer only a separate search datagram (Lights 9.5).
struct KasaNewerDevice: Equatable {
    /// The port for searches.
    static let port: UInt16 = 20002
    /// The search datagram, which is a header without a body: version 2, the type of a search, a length of 0, and a
    /// checksum.
    static let search: [UInt8] = [2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x46, 0x3C, 0xB5, 0xD3]

    private static let headerLength = 16

    let id: LightID
    let reason: String

    /// Parses the answer to ``search``.
    ///
    /// Returns `nil` if it is invalid, or if the device isn't a plug, a switch or a bulb.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.headerLength, bytes.starts(with: [2, 0, 0, 1]),
            let json = try? JSONValue(parsing: Array(bytes[Self.headerLength...])),
            let result = json["result"], let type = result["device_type"]?.string, type.utf8.count <= 64,
            ["PLUG", "BULB", "SWITCH"].contains(where: { type.contains($0) })
        else { return nil }
        let digits = result["mac"]?.string?.filter(\.isHexDigit).lowercased() ?? ""
        guard digits.utf8.count == 12, digits.allSatisfy(\.isASCII) else { return nil }
        id = LightID(digits)
        let model = result["device_model"]?.string.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil } ?? "a device"
        reason =
            "\(model) (\(digits)) supports only TP-Link's newer protocol, which requires the account's password and "
            + "isn't supported; if the device has a Matter or HomeKit code, use that code in an app"
    }
}
