import HAPModel
package import HomeModel
import Texts

extension Characteristic {
    /// A short name for a control or a reading on the page of its service, in the language of the request.
    package var label: String { localized(key: englishLabel) }

    /// The label within a sentence.
    package var labelInSentence: String { localizedInSentence(key: englishLabel) }

    var englishLabel: String { Self.labels[type]?.key ?? localizedDescription }

    private static let labels: [CharacteristicType: LocalizableText] = [
        .activeIdentifier: "Input",
        .coolingThresholdTemperature: "Cool to",
        .currentAirPurifierState: "State",
        .currentDoorState: "State",
        .currentFanState: "State",
        .currentHeaterCoolerState: "State",
        .currentHeatingCoolingState: "State",
        .currentHorizontalTiltAngle: "Current Tilt",
        .currentHumidifierDehumidifierState: "State",
        .currentTiltAngle: "Current Tilt",
        .currentVerticalTiltAngle: "Current Tilt",
        .heatingThresholdTemperature: "Heat to",
        .holdPosition: "Stop",
        .lockCurrentState: "State",
        .lockPhysicalControls: "Child Lock",
        .lockTargetState: "Lock",
        .programmableSwitchEvent: "Last Press",
        .remoteKey: "Remote",
        .relativeHumidityDehumidifierThreshold: "Dehumidify to",
        .relativeHumidityHumidifierThreshold: "Humidify to",
        .resetFilterIndication: "Reset Filter",
        .rotationDirection: "Direction",
        .rotationSpeed: "Speed",
        .securitySystemCurrentState: "State",
        .securitySystemTargetState: "Mode",
        .setDuration: "Duration",
        .swingMode: "Swing",
        .targetAirPurifierState: "Mode",
        .targetDoorState: "Door",
        .targetFanState: "Mode",
        .targetHeaterCoolerState: "Mode",
        .targetHeatingCoolingState: "Mode",
        .targetHorizontalTiltAngle: "Tilt",
        .targetHumidifierDehumidifierState: "Mode",
        .targetPosition: "Position",
        .targetRelativeHumidity: "Humidity",
        .targetTemperature: "Temperature",
        .targetTiltAngle: "Tilt",
        .targetVerticalTiltAngle: "Tilt",
        .temperatureDisplayUnits: "Display Units",
        .volumeSelector: "Volume",
    ]
}
