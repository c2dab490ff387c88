package import HAPModel

/// `GET /characteristics?id=...` (HAP 8.4).
package struct ReadRequest: Equatable, Sendable {
    package var ids: [CharacteristicID]
    package var metadata = false
    package var permissions = false
    package var type = false
    package var events = false

    package init(ids: [CharacteristicID]) { self.ids = ids }

    /// Parses a query.
    ///
    /// Unknown parameters are ignored, and several `id` parameters are joined.
    ///
    /// - Returns: `nil` if the request must be answered with status 400.
    package init?(query: String?) {
        guard let query else { return nil }
        ids = []
        for parameter in query.utf8.split(separator: UInt8(ascii: "&")) {
            guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = parameter[parameter.index(after: equals)...]
            switch String(parameter[..<equals]) {
            case "id":
                guard appendIDs(value) else { return nil }
            case "meta":
                guard let flag = Self.flag(value) else { return nil }
                metadata = flag
            case "perms":
                guard let flag = Self.flag(value) else { return nil }
                permissions = flag
            case "type":
                guard let flag = Self.flag(value) else { return nil }
                type = flag
            case "ev":
                guard let flag = Self.flag(value) else { return nil }
                events = flag
            default: break
            }
        }
        if ids.isEmpty { return nil }
    }

    package var query: String {
        var text = "id=" + ids.map(\.description).joined(separator: ",")
        for (name, flag) in [("meta", metadata), ("perms", permissions), ("type", type), ("ev", events)] where flag {
            text += "&\(name)=1"
        }
        return text
    }

    private static func flag(_ value: Substring.UTF8View) -> Bool? {
        switch String(value) {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }

    private mutating func appendIDs(_ list: Substring.UTF8View) -> Bool {
        var aid: UInt64?
        var number: UInt64?
        var bytes = list.makeIterator()
        while var byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                // Some clients escape the comma and the dot.
                guard bytes.next() == UInt8(ascii: "2") else { return false }
                switch bytes.next() {
                case UInt8(ascii: "C"), UInt8(ascii: "c"): byte = UInt8(ascii: ",")
                case UInt8(ascii: "E"), UInt8(ascii: "e"): byte = UInt8(ascii: ".")
                default: return false
                }
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let (product, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
                if overflow || carry { return false }
                number = sum
            case UInt8(ascii: "."):
                guard aid == nil, let accessory = number else { return false }
                aid = accessory
                number = nil
            case UInt8(ascii: ","):
                guard let accessory = aid, let instance = number else { return false }
                ids.append(CharacteristicID(AccessoryID(accessory), InstanceID(instance)))
                aid = nil
                number = nil
            default: return false
            }
        }
        guard let accessory = aid, let instance = number else { return false }
        ids.append(CharacteristicID(AccessoryID(accessory), InstanceID(instance)))
        return true
    }
}
