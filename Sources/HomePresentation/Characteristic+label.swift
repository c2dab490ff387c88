import HAPModel
package import HomeModel

extension Characteristic {
    /// A short name for a control or a reading on the page of its service, in English.
    package var label: String { Self.labels[type] ?? localizedDescription }

    private static let labels: [CharacteristicType: String] = [
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
