import DeviceKit
import HAPModel

/// An announced entity as a part of its device.
struct MQTTPart: Equatable, Sendable {
    enum Role: Equatable, Sendable {
        /// An accessory such as a light, which can show the buttons, scenes and meters of its device.
        case accessory
        /// A reading of the device's sensor. A substitute, such as vibration for motion, measures something else.
        case reading(isSubstitute: Bool)
        case meter
        case buttons([PushButton], MQTTButton.Form)
        /// Scenes, sirens or the options of a choice.
        case scenes([AccessoryFunction])
    }

    let role: Role
    let description: LightDescription
    /// The accessory that shows the part if its device has no other accessory that can, or `nil` if the part has no
    /// device.
    let device: LightDescription?
    /// The id of the device, or `nil` if it is unknown.
    let deviceID: String?

    init(_ role: Role, _ description: LightDescription, of deviceID: String?, device: LightDescription? = nil) {
        (self.role, self.description, self.deviceID, self.device) = (role, description, deviceID, device)
    }

    init(_ entity: MQTTEntity) {
        let component = entity.settings.component
        let role: Role
        if let button = component as? MQTTButton {
            role = .buttons(button.words.buttons, button.form)
        } else if entity.description.kind == .scene {
            role = .scenes(component?.functions ?? [])
        } else if entity.description.kind == .meter {
            role = .meter
        } else if entity.settings.isPart {
            role = .reading(isSubstitute: (component as? MQTTSensor)?.meaning.isSubstitute == true)
        } else {
            role = .accessory
        }
        self.init(role, entity.description, of: entity.deviceID, device: entity.device)
    }

    /// The id of the device whose other parts this part joins or shows, or `nil` if it joins only the sensor.
    var key: String? {
        switch role {
        case .accessory, .meter: deviceID
        case .buttons, .scenes: deviceID ?? description.id.rawValue
        case .reading: nil
        }
    }

    /// A Boolean value that indicates whether the part consists of buttons, scenes, sirens or options.
    var isButton: Bool {
        switch role {
        case .buttons, .scenes: true
        case .accessory, .reading, .meter: false
        }
    }

    var functions: [AccessoryFunction] { if case .scenes(let functions) = role { functions } else { [] } }
}

extension LightDescription {
    /// Returns the light of the reading's device that the reading measures, or `nil` if it can't be determined.
    ///
    /// If there are several lights, the reading's name must contain the words that distinguish one of them, such as
    /// "left". A meter of the whole device measures none of them.
    func measured(of lights: [LightDescription]) -> LightID? {
        guard lights.count > 1 else { return lights.first?.id }
        let words = lights.map { Set($0.name.lowercased().split(separator: " ")) }
        let common = words.reduce(words[0]) { $0.intersection($1) }
        let own = Set(name.lowercased().split(separator: " "))
        let matching = lights.indices.filter { index in
            let distinct = words[index].subtracting(common)
            return !distinct.isEmpty && distinct.isSubset(of: own)
        }
        return matching.count == 1 ? lights[matching[0]].id : nil
    }
}
