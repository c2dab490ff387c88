import HAPModel
package import HomeModel
import Texts

extension Characteristic {
    /// A short name for a control or a reading on the page of its service, in the language of the request.
    package var label: String { localized(key: englishLabel) }

    /// The label within a sentence.
    package var labelInSentence: String { localizedInSentence(key: Self.nouns[type]?.key ?? englishLabel) }

    var englishLabel: String { type.type.isApple ? type.usualName : localizedDescription }

    /// The nouns for labels that aren't nouns.
    private static let nouns: [CharacteristicType: LocalizableText] = [
        .coolingThresholdTemperature: "Highest Temperature",
        .heatingThresholdTemperature: "Lowest Temperature",
        .relativeHumidityDehumidifierThreshold: "Highest Humidity",
        .relativeHumidityHumidifierThreshold: "Lowest Humidity",
    ]
}

extension CharacteristicType {
    /// The usual name of the type in English, such as `Position` for Current Position.
    var usualName: String { Self.usualNames[self]?.key ?? localizedDescription }

    private static let usualNames: [CharacteristicType: LocalizableText] = [
        .active: "Power State",
        .activeIdentifier: "Input",
        .airParticulateDensity: "Particles",
        .airParticulateSize: "Particle Size",
        .batteryLevel: "Battery",
        .carbonDioxideDetected: "Carbon Dioxide",
        .carbonDioxidePeakLevel: "Highest Carbon Dioxide Level",
        .carbonMonoxideDetected: "Carbon Monoxide",
        .carbonMonoxidePeakLevel: "Highest Carbon Monoxide Level",
        .configuredName: "Name",
        .contactSensorState: "Contact",
        .coolingThresholdTemperature: "Cool to",
        .currentAirPurifierState: "State",
        .currentAmbientLightLevel: "Light Level",
        .currentDoorState: "State",
        .currentFanState: "State",
        .currentHeaterCoolerState: "State",
        .currentHeatingCoolingState: "State",
        .currentHorizontalTiltAngle: "Tilt",
        .currentHumidifierDehumidifierState: "State",
        .currentMediaState: "Playback",
        .currentPosition: "Position",
        .currentRelativeHumidity: "Humidity",
        .currentSlatState: "Slats",
        .currentTemperature: "Temperature",
        .currentTiltAngle: "Tilt",
        .currentVerticalTiltAngle: "Tilt",
        .filterChangeIndication: "Filter",
        .heatingThresholdTemperature: "Heat to",
        .holdPosition: "Stop",
        .inUse: "State",
        .leakDetected: "Leak",
        .lockCurrentState: "State",
        .lockPhysicalControls: "Child Lock",
        .lockTargetState: "Lock",
        .manuallyDisabled: "Operation",
        .motionDetected: "Motion",
        .nitrogenDioxideDensity: "Nitrogen Dioxide",
        .obstructionDetected: "Obstruction",
        .occupancyDetected: "Occupancy",
        .outletInUse: "Connected Device",
        .ozoneDensity: "Ozone",
        .pm10Density: "PM10",
        .pm2_5Density: "PM2.5",
        .positionState: "Movement",
        .programmableSwitchEvent: "Last Press",
        .programMode: "Program",
        .relativeHumidityDehumidifierThreshold: "Dehumidify to",
        .relativeHumidityHumidifierThreshold: "Humidify to",
        .remainingDuration: "Time Left",
        .remoteKey: "Remote",
        .resetFilterIndication: "Reset Filter",
        .rotationDirection: "Direction",
        .rotationSpeed: "Speed",
        .securitySystemAlarmType: "Alarm Type",
        .securitySystemCurrentState: "State",
        .securitySystemTargetState: "Mode",
        .setDuration: "Duration",
        .smokeDetected: "Smoke",
        .statusActive: "Operation",
        .statusFault: "Fault",
        .statusJammed: "Jam",
        .statusLowBattery: "Battery Status",
        .statusTampered: "Tampering",
        .sulphurDioxideDensity: "Sulfur Dioxide",
        .swingMode: "Swing",
        .targetAirPurifierState: "Mode",
        .targetDoorState: "Door",
        .targetFanState: "Mode",
        .targetHeaterCoolerState: "Mode",
        .targetHeatingCoolingState: "Mode",
        .targetHorizontalTiltAngle: "Tilt",
        .targetHumidifierDehumidifierState: "Mode",
        .targetMediaState: "Playback",
        .targetPosition: "Position",
        .targetRelativeHumidity: "Humidity",
        .targetTemperature: "Temperature",
        .targetTiltAngle: "Tilt",
        .targetVerticalTiltAngle: "Tilt",
        .temperatureDisplayUnits: "Display Units",
        .vocDensity: "Organic Compounds (VOC)",
        .volumeSelector: "Volume",
    ]
}
