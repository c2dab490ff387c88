import DeviceKit

extension ESPHomeEntity {
    /// Parses the description of an event; `nil` if the event doesn't report presses of a button.
    init?(event body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        self.init(key: Key(key: 0), objectID: "", name: "", kind: .switch(isOutlet: false), isHidden: false)
        var (deviceClass, types) = ("", [String]())
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: objectID = value.text
            case 2: key.key = UInt32(truncatingIfNeeded: value.number)
            case 3: name = value.text
            case 6: isHidden = isHidden || value.flag
            case 7: isHidden = isHidden || value.number != 0
            case 8: deviceClass = value.text
            case 9 where types.count < ESPHomeSession.maximumEntities: types.append(value.text)
            case 10: key.part = UInt32(truncatingIfNeeded: value.number)
            default: break
            }
        }
        // Events of other classes, such as motion, aren't presses.
        guard ["", "button", "doorbell"].contains(deviceClass) else { return nil }
        let isDoorbell = deviceClass == "doorbell"
        let title = isDoorbell ? "Doorbell" : "Button"
        let words = ButtonWords(
            types, isStrict: deviceClass.isEmpty, isDoorbell: isDoorbell,
            of: .init(
                id: objectID.isEmpty ? ESPHomeLight.objectID(name.isEmpty ? title : name) : objectID,
                name: name.isEmpty ? title : name))
        guard !words.buttons.isEmpty else { return nil }
        kind = .event(words)
    }
}

extension ESPHomeEntity {
    var isEvent: Bool { if case .event = kind { true } else { false } }
}

/// An event, such as the press of a button.
struct ESPHomeEvent {
    var key = ESPHomeEntity.Key(key: 0)
    var type = ""

    init(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: key.key = UInt32(truncatingIfNeeded: value.number)
            case 2: type = value.text
            case 3: key.part = UInt32(truncatingIfNeeded: value.number)
            default: break
            }
        }
    }
}
