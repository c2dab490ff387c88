// Made by Scripts/generate-catalog from Scripts/catalog/catalog.json. Do not edit.

// swift-format-ignore-file

extension CharacteristicDefinition {
    /// Every characteristic that Apple defines, by name.
    public static let all: [CharacteristicDefinition] = [
        CharacteristicDefinition(
            name: "AccessCodeControlPoint", type: .accessCodeControlPoint,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "AccessCodeSupportedConfiguration", type: .accessCodeSupportedConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "AccessControlLevel", type: .accessControlLevel,
            metadata: CharacteristicMetadata(
                format: .uint16, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 2, step: 1)),
        CharacteristicDefinition(
            name: "AccessoryFlags", type: .accessoryFlags,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "AccessoryIdentifier", type: .accessoryIdentifier,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "Active", type: .active,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "ActiveIdentifier", type: .activeIdentifier,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "ActivityInterval", type: .activityInterval,
            metadata: CharacteristicMetadata(
                format: .uint32, permissions: [.pairedRead, .notify], minimum: 0, step: 1)),
        CharacteristicDefinition(
            name: "AdministratorOnlyAccess", type: .administratorOnlyAccess,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "AirParticulateDensity", type: .airParticulateDensity,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1000)),
        CharacteristicDefinition(
            name: "AirParticulateSize", type: .airParticulateSize,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "AirPlayEnable", type: .airPlayEnable,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1)),
        CharacteristicDefinition(
            name: "AirQuality", type: .airQuality,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 5, step: 1,
                validValues: [0, 1, 2, 3, 4, 5])),
        CharacteristicDefinition(
            name: "AppMatchingIdentifier", type: .appMatchingIdentifier,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "AssetUpdateReadiness", type: .assetUpdateReadiness,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "AudioFeedback", type: .audioFeedback,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "BatteryLevel", type: .batteryLevel,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], unit: .percentage, minimum: 0, maximum: 100,
                step: 1)),
        CharacteristicDefinition(
            name: "Brightness", type: .brightness,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "ButtonEvent", type: .buttonEvent,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "CCAEnergyDetectThreshold", type: .ccaEnergyDetectThreshold,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "CCASignalDetectThreshold", type: .ccaSignalDetectThreshold,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "CameraOperatingModeIndicator", type: .cameraOperatingModeIndicator,
            metadata: CharacteristicMetadata(
                format: .bool, permissions: [.pairedRead, .pairedWrite, .notify, .timedWrite], validValues: [0, 1])),
        CharacteristicDefinition(
            name: "CarbonDioxideDetected", type: .carbonDioxideDetected,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "CarbonDioxideLevel", type: .carbonDioxideLevel,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 100000, step: 1)),
        CharacteristicDefinition(
            name: "CarbonDioxidePeakLevel", type: .carbonDioxidePeakLevel,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 100000, step: 1)),
        CharacteristicDefinition(
            name: "CarbonMonoxideDetected", type: .carbonMonoxideDetected,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "CarbonMonoxideLevel", type: .carbonMonoxideLevel,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "CarbonMonoxidePeakLevel", type: .carbonMonoxidePeakLevel,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "CharacteristicValueActiveTransitionCount", type: .characteristicValueActiveTransitionCount,
            metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "CharacteristicValueTransitionControl", type: .characteristicValueTransitionControl,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "ChargingState", type: .chargingState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "ClosedCaptions", type: .closedCaptions,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "ColorTemperature", type: .colorTemperature,
            metadata: CharacteristicMetadata(
                format: .uint32, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 50, maximum: 400,
                step: 1)),
        CharacteristicDefinition(
            name: "ConfigurationState", type: .configurationState,
            metadata: CharacteristicMetadata(format: .uint16, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "ConfiguredName", type: .configuredName,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "ContactSensorState", type: .contactSensorState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "CoolingThresholdTemperature", type: .coolingThresholdTemperature,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .celsius, minimum: 10,
                maximum: 35, step: 0.1)),
        CharacteristicDefinition(
            name: "CryptoHash", type: .cryptoHash,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "CurrentAirPurifierState", type: .currentAirPurifierState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "CurrentAmbientLightLevel", type: .currentAmbientLightLevel,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], unit: .lux, minimum: 0.0001, maximum: 100000)),
        CharacteristicDefinition(
            name: "CurrentDoorState", type: .currentDoorState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 4, step: 1,
                validValues: [0, 1, 2, 3, 4])),
        CharacteristicDefinition(
            name: "CurrentFanState", type: .currentFanState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "CurrentHeaterCoolerState", type: .currentHeaterCoolerState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 3, step: 1,
                validValues: [0, 1, 2, 3])),
        CharacteristicDefinition(
            name: "CurrentHeatingCoolingState", type: .currentHeatingCoolingState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "CurrentHorizontalTiltAngle", type: .currentHorizontalTiltAngle,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .notify], unit: .arcdegrees, minimum: -90, maximum: 90,
                step: 1)),
        CharacteristicDefinition(
            name: "CurrentHumidifierDehumidifierState", type: .currentHumidifierDehumidifierState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 3, step: 1,
                validValues: [0, 1, 2, 3])),
        CharacteristicDefinition(
            name: "CurrentMediaState", type: .currentMediaState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 5, step: 1,
                validValues: [0, 1, 2, 4, 5])),
        CharacteristicDefinition(
            name: "CurrentPosition", type: .currentPosition,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], unit: .percentage, minimum: 0, maximum: 100,
                step: 1)),
        CharacteristicDefinition(
            name: "CurrentRelativeHumidity", type: .currentRelativeHumidity,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], unit: .percentage, minimum: 0, maximum: 100,
                step: 1)),
        CharacteristicDefinition(
            name: "CurrentSlatState", type: .currentSlatState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "CurrentTemperature", type: .currentTemperature,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], unit: .celsius, minimum: -270, maximum: 100,
                step: 0.1)),
        CharacteristicDefinition(
            name: "CurrentTiltAngle", type: .currentTiltAngle,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .notify], unit: .arcdegrees, minimum: -90, maximum: 90,
                step: 1)),
        CharacteristicDefinition(
            name: "CurrentTransport", type: .currentTransport,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "CurrentVerticalTiltAngle", type: .currentVerticalTiltAngle,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .notify], unit: .arcdegrees, minimum: -90, maximum: 90,
                step: 1)),
        CharacteristicDefinition(
            name: "CurrentVisibilityState", type: .currentVisibilityState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "DataStreamHAPTransport", type: .dataStreamHAPTransport,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "DataStreamHAPTransportInterrupt", type: .dataStreamHAPTransportInterrupt,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "DiagonalFieldOfView", type: .diagonalFieldOfView,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], unit: .arcdegrees, minimum: 0, maximum: 360)),
        CharacteristicDefinition(
            name: "DigitalZoom", type: .digitalZoom,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], step: 0.1)),
        CharacteristicDefinition(
            name: "DisplayOrder", type: .displayOrder,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "EventRetransmissionMaximum", type: .eventRetransmissionMaximum,
            metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "EventSnapshotsActive", type: .eventSnapshotsActive,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "EventTransmissionCounters", type: .eventTransmissionCounters,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "FilterChangeIndication", type: .filterChangeIndication,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "FilterLifeLevel", type: .filterLifeLevel,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "FirmwareRevision", type: .firmwareRevision,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "FirmwareUpdateReadiness", type: .firmwareUpdateReadiness,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "FirmwareUpdateStatus", type: .firmwareUpdateStatus,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "HardwareFinish", type: .hardwareFinish,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "HardwareRevision", type: .hardwareRevision,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "HeartBeat", type: .heartBeat,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "HeatingThresholdTemperature", type: .heatingThresholdTemperature,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .celsius, minimum: 0,
                maximum: 25, step: 0.1)),
        CharacteristicDefinition(
            name: "HoldPosition", type: .holdPosition,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedWrite])),
        CharacteristicDefinition(
            name: "HomeKitCameraActive", type: .homeKitCameraActive,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "Hue", type: .hue,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .arcdegrees, minimum: 0,
                maximum: 360, step: 1)),
        CharacteristicDefinition(
            name: "Identifier", type: .identifier,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "Identify", type: .identify,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedWrite])),
        CharacteristicDefinition(
            name: "ImageMirroring", type: .imageMirroring,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "ImageRotation", type: .imageRotation,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .pairedWrite, .notify], unit: .arcdegrees, minimum: 0,
                maximum: 360, step: 1)),
        CharacteristicDefinition(
            name: "InUse", type: .inUse,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "InputDeviceType", type: .inputDeviceType,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 6, step: 1,
                validValues: [0, 1, 2, 3, 4, 5])),
        CharacteristicDefinition(
            name: "InputSourceType", type: .inputSourceType,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 10, step: 1,
                validValues: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
        CharacteristicDefinition(
            name: "IsConfigured", type: .isConfigured,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "LeakDetected", type: .leakDetected,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "ListPairings", type: .listPairings,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "LockControlPoint", type: .lockControlPoint,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedWrite])),
        CharacteristicDefinition(
            name: "LockCurrentState", type: .lockCurrentState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 3, step: 1,
                validValues: [0, 1, 2, 3])),
        CharacteristicDefinition(
            name: "LockLastKnownAction", type: .lockLastKnownAction,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 10, step: 1,
                validValues: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
        CharacteristicDefinition(
            name: "LockManagementAutoSecurityTimeout", type: .lockManagementAutoSecurityTimeout,
            metadata: CharacteristicMetadata(
                format: .uint32, permissions: [.pairedRead, .pairedWrite, .notify], unit: .seconds)),
        CharacteristicDefinition(
            name: "LockPhysicalControls", type: .lockPhysicalControls,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "LockTargetState", type: .lockTargetState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "Logs", type: .logs,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "MACRetransmissionMaximum", type: .macRetransmissionMaximum,
            metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "MACTransmissionCounters", type: .macTransmissionCounters,
            metadata: CharacteristicMetadata(format: .data, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "ManagedNetworkEnable", type: .managedNetworkEnable,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify, .timedWrite], minimum: 0,
                maximum: 1, validValues: [0, 1])),
        CharacteristicDefinition(
            name: "ManuallyDisabled", type: .manuallyDisabled,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .notify], validValues: [0, 1])),
        CharacteristicDefinition(
            name: "Manufacturer", type: .manufacturer,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead], maximumLength: 64)),
        CharacteristicDefinition(
            name: "MatterFirmwareRevisionNumber", type: .matterFirmwareRevisionNumber,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "MatterFirmwareUpdateStatus", type: .matterFirmwareUpdateStatus,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "MaximumTransmitPower", type: .maximumTransmitPower,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "MetricsBufferFullState", type: .metricsBufferFullState,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "Model", type: .model,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead], maximumLength: 64)),
        CharacteristicDefinition(
            name: "MotionDetected", type: .motionDetected,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "MultifunctionButton", type: .multifunctionButton,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1)),
        CharacteristicDefinition(
            name: "Mute", type: .mute,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "NFCAccessControlPoint", type: .nfcAccessControlPoint,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "NFCAccessSupportedConfiguration", type: .nfcAccessSupportedConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "Name", type: .name,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead], maximumLength: 64)),
        CharacteristicDefinition(
            name: "NetworkAccessViolationControl", type: .networkAccessViolationControl,
            metadata: CharacteristicMetadata(
                format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify, .timedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "NetworkClientProfileControl", type: .networkClientProfileControl,
            metadata: CharacteristicMetadata(
                format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify, .timedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "NetworkClientStatusControl", type: .networkClientStatusControl,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "NightVision", type: .nightVision,
            metadata: CharacteristicMetadata(
                format: .bool, permissions: [.pairedRead, .pairedWrite, .notify, .timedWrite])),
        CharacteristicDefinition(
            name: "NitrogenDioxideDensity", type: .nitrogenDioxideDensity,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1000, step: 1)),
        CharacteristicDefinition(
            name: "ObstructionDetected", type: .obstructionDetected,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "OccupancyDetected", type: .occupancyDetected,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "On", type: .on,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "OperatingStateResponse", type: .operatingStateResponse,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "OpticalZoom", type: .opticalZoom,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], step: 0.1)),
        CharacteristicDefinition(
            name: "OutletInUse", type: .outletInUse,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "OzoneDensity", type: .ozoneDensity,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1000, step: 1)),
        CharacteristicDefinition(
            name: "PM10Density", type: .pm10Density,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1000, step: 1)),
        CharacteristicDefinition(
            name: "PM2_5Density", type: .pm2_5Density,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1000, step: 1)),
        CharacteristicDefinition(
            name: "PairSetup", type: .pairSetup,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "PairVerify", type: .pairVerify,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "PairingFeatures", type: .pairingFeatures,
            metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "PasswordSetting", type: .passwordSetting,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "PeriodicSnapshotsActive", type: .periodicSnapshotsActive,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], validValues: [0, 1])),
        CharacteristicDefinition(
            name: "PictureMode", type: .pictureMode,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 13, step: 1,
                validValues: [0, 1, 2, 3, 4, 5, 6, 7])),
        CharacteristicDefinition(
            name: "Ping", type: .ping,
            metadata: CharacteristicMetadata(format: .data, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "PositionState", type: .positionState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "PowerModeSelection", type: .powerModeSelection,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedWrite], minimum: 0, maximum: 1, step: 1, validValues: [0, 1])),
        CharacteristicDefinition(
            name: "ProductData", type: .productData,
            metadata: CharacteristicMetadata(format: .data, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "ProgramMode", type: .programMode,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "ProgrammableSwitchEvent", type: .programmableSwitchEvent,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "ProgrammableSwitchOutputState", type: .programmableSwitchOutputState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1)),
        CharacteristicDefinition(
            name: "ReceivedSignalStrengthIndication", type: .receivedSignalStrengthIndication,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "ReceiverSensitivity", type: .receiverSensitivity,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "RecordingAudioActive", type: .recordingAudioActive,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify, .timedWrite], validValues: [0, 1])),
        CharacteristicDefinition(
            name: "RelativeHumidityDehumidifierThreshold", type: .relativeHumidityDehumidifierThreshold,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "RelativeHumidityHumidifierThreshold", type: .relativeHumidityHumidifierThreshold,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "RelayControlPoint", type: .relayControlPoint,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "RelayEnabled", type: .relayEnabled,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "RelayState", type: .relayState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 5, step: 1)),
        CharacteristicDefinition(
            name: "RemainingDuration", type: .remainingDuration,
            metadata: CharacteristicMetadata(
                format: .uint32, permissions: [.pairedRead, .notify], unit: .seconds, minimum: 0, maximum: 3600,
                step: 1)),
        CharacteristicDefinition(
            name: "RemoteKey", type: .remoteKey,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedWrite], minimum: 0, maximum: 16, step: 1,
                validValues: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15])),
        CharacteristicDefinition(
            name: "ResetFilterIndication", type: .resetFilterIndication,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedWrite], minimum: 1, maximum: 1, step: 1)),
        CharacteristicDefinition(
            name: "RotationDirection", type: .rotationDirection,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "RotationSpeed", type: .rotationSpeed,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "RouterStatus", type: .routerStatus,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, validValues: [0, 1])),
        CharacteristicDefinition(
            name: "Saturation", type: .saturation,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "SecuritySystemAlarmType", type: .securitySystemAlarmType,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1)),
        CharacteristicDefinition(
            name: "SecuritySystemCurrentState", type: .securitySystemCurrentState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 4, step: 1,
                validValues: [0, 1, 2, 3, 4])),
        CharacteristicDefinition(
            name: "SecuritySystemTargetState", type: .securitySystemTargetState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 3, step: 1,
                validValues: [0, 1, 2, 3])),
        CharacteristicDefinition(
            name: "SelectedAudioStreamConfiguration", type: .selectedAudioStreamConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "SelectedCameraRecordingConfiguration", type: .selectedCameraRecordingConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "SelectedDiagnosticsModes", type: .selectedDiagnosticsModes,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "SelectedRTPStreamConfiguration", type: .selectedRTPStreamConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "SelectedSleepConfiguration", type: .selectedSleepConfiguration,
            metadata: CharacteristicMetadata(
                format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify, .writeResponse])),
        CharacteristicDefinition(
            name: "SerialNumber", type: .serialNumber,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead], maximumLength: 64)),
        CharacteristicDefinition(
            name: "ServiceLabelIndex", type: .serviceLabelIndex,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead], minimum: 1, maximum: 255, step: 1)),
        CharacteristicDefinition(
            name: "ServiceLabelNamespace", type: .serviceLabelNamespace,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead], minimum: 0, maximum: 1, step: 1, validValues: [0, 1])),
        CharacteristicDefinition(
            name: "SetDuration", type: .setDuration,
            metadata: CharacteristicMetadata(
                format: .uint32, permissions: [.pairedRead, .pairedWrite, .notify], unit: .seconds, minimum: 0,
                maximum: 3600, step: 1)),
        CharacteristicDefinition(
            name: "SetupDataStreamTransport", type: .setupDataStreamTransport,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "SetupEndpoints", type: .setupEndpoints,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "SetupTransferTransport", type: .setupTransferTransport,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "SignalToNoiseRatio", type: .signalToNoiseRatio,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SiriEnable", type: .siriEnable,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1)),
        CharacteristicDefinition(
            name: "SiriEndpointSessionStatus", type: .siriEndpointSessionStatus,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "SiriEngineVersion", type: .siriEngineVersion,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SiriInputType", type: .siriInputType,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead], minimum: 0, maximum: 0, validValues: [0])),
        CharacteristicDefinition(
            name: "SiriLightOnUse", type: .siriLightOnUse,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1)),
        CharacteristicDefinition(
            name: "SiriListening", type: .siriListening,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1)),
        CharacteristicDefinition(
            name: "SiriTouchToUse", type: .siriTouchToUse,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1)),
        CharacteristicDefinition(
            name: "SlatType", type: .slatType,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead], minimum: 0, maximum: 1, step: 1, validValues: [0, 1])),
        CharacteristicDefinition(
            name: "SleepDiscoveryMode", type: .sleepDiscoveryMode,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "SleepInterval", type: .sleepInterval,
            metadata: CharacteristicMetadata(
                format: .uint32, permissions: [.pairedRead, .notify], minimum: 0, step: 1)),
        CharacteristicDefinition(
            name: "SmokeDetected", type: .smokeDetected,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "SoftwareRevision", type: .softwareRevision,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "StagedFirmwareVersion", type: .stagedFirmwareVersion,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "StatusActive", type: .statusActive,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "StatusFault", type: .statusFault,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "StatusJammed", type: .statusJammed,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "StatusLowBattery", type: .statusLowBattery,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "StatusTampered", type: .statusTampered,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "StreamingStatus", type: .streamingStatus,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "SulphurDioxideDensity", type: .sulphurDioxideDensity,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1000, step: 1)),
        CharacteristicDefinition(
            name: "SupportedAssetTypes", type: .supportedAssetTypes,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedAudioRecordingConfiguration", type: .supportedAudioRecordingConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "SupportedAudioStreamConfiguration", type: .supportedAudioStreamConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedCameraRecordingConfiguration", type: .supportedCameraRecordingConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "SupportedCharacteristicValueTransitionConfiguration", type: .supportedCharacteristicValueTransitionConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedDataStreamTransportConfiguration", type: .supportedDataStreamTransportConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedDiagnosticsModes", type: .supportedDiagnosticsModes,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedDiagnosticsSnapshot", type: .supportedDiagnosticsSnapshot,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedFirmwareUpdateConfiguration", type: .supportedFirmwareUpdateConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedMetrics", type: .supportedMetrics,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite])),
        CharacteristicDefinition(
            name: "SupportedRTPConfiguration", type: .supportedRTPConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedRouterConfiguration", type: .supportedRouterConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedSleepConfiguration", type: .supportedSleepConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedTransferTransportConfiguration", type: .supportedTransferTransportConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SupportedVideoRecordingConfiguration", type: .supportedVideoRecordingConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "SupportedVideoStreamConfiguration", type: .supportedVideoStreamConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "SwingMode", type: .swingMode,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "TapType", type: .tapType,
            metadata: CharacteristicMetadata(format: .uint16, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "TargetAirPurifierState", type: .targetAirPurifierState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "TargetControlList", type: .targetControlList,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .pairedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "TargetControlSupportedConfiguration", type: .targetControlSupportedConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "TargetDoorState", type: .targetDoorState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "TargetFanState", type: .targetFanState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "TargetHeaterCoolerState", type: .targetHeaterCoolerState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "TargetHeatingCoolingState", type: .targetHeatingCoolingState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 3, step: 1,
                validValues: [0, 1, 2, 3])),
        CharacteristicDefinition(
            name: "TargetHorizontalTiltAngle", type: .targetHorizontalTiltAngle,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .pairedWrite, .notify], unit: .arcdegrees, minimum: -90,
                maximum: 90, step: 1)),
        CharacteristicDefinition(
            name: "TargetHumidifierDehumidifierState", type: .targetHumidifierDehumidifierState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "TargetMediaState", type: .targetMediaState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 2, step: 1,
                validValues: [0, 1, 2])),
        CharacteristicDefinition(
            name: "TargetPosition", type: .targetPosition,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "TargetRelativeHumidity", type: .targetRelativeHumidity,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "TargetTemperature", type: .targetTemperature,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .pairedWrite, .notify], unit: .celsius, minimum: 10,
                maximum: 38, step: 0.1)),
        CharacteristicDefinition(
            name: "TargetTiltAngle", type: .targetTiltAngle,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .pairedWrite, .notify], unit: .arcdegrees, minimum: -90,
                maximum: 90, step: 1)),
        CharacteristicDefinition(
            name: "TargetVerticalTiltAngle", type: .targetVerticalTiltAngle,
            metadata: CharacteristicMetadata(
                format: .int, permissions: [.pairedRead, .pairedWrite, .notify], unit: .arcdegrees, minimum: -90,
                maximum: 90, step: 1)),
        CharacteristicDefinition(
            name: "TargetVisibilityState", type: .targetVisibilityState,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "TemperatureDisplayUnits", type: .temperatureDisplayUnits,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 1, step: 1,
                validValues: [0, 1])),
        CharacteristicDefinition(
            name: "ThirdPartyCameraActive", type: .thirdPartyCameraActive,
            metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead, .notify], validValues: [0, 1])),
        CharacteristicDefinition(
            name: "ThreadControlPoint", type: .threadControlPoint,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedWrite])),
        CharacteristicDefinition(
            name: "ThreadNodeCapabilities", type: .threadNodeCapabilities,
            metadata: CharacteristicMetadata(
                format: .uint16, permissions: [.pairedRead], minimum: 0, maximum: 31, step: 1)),
        CharacteristicDefinition(
            name: "ThreadOpenThreadVersion", type: .threadOpenThreadVersion,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "ThreadStatus", type: .threadStatus,
            metadata: CharacteristicMetadata(
                format: .uint16, permissions: [.pairedRead, .notify], minimum: 0, maximum: 6, step: 1)),
        CharacteristicDefinition(
            name: "Token", type: .token,
            metadata: CharacteristicMetadata(format: .data, permissions: [.pairedWrite])),
        CharacteristicDefinition(
            name: "TransmitPower", type: .transmitPower,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "TunnelConnectionTimeout", type: .tunnelConnectionTimeout,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "TunneledAccessoryAdvertising", type: .tunneledAccessoryAdvertising,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "TunneledAccessoryConnected", type: .tunneledAccessoryConnected,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "TunneledAccessoryStateNumber", type: .tunneledAccessoryStateNumber,
            metadata: CharacteristicMetadata(format: .int, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "VOCDensity", type: .vocDensity,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], minimum: 0, maximum: 1000, step: 1)),
        CharacteristicDefinition(
            name: "ValveType", type: .valveType,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 3, step: 1,
                validValues: [0, 1, 2, 3])),
        CharacteristicDefinition(
            name: "Version", type: .version,
            metadata: CharacteristicMetadata(format: .string, permissions: [.pairedRead], maximumLength: 64)),
        CharacteristicDefinition(
            name: "VideoAnalysisActive", type: .videoAnalysisActive,
            metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify])),
        CharacteristicDefinition(
            name: "Volume", type: .volume,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite, .notify], unit: .percentage, minimum: 0,
                maximum: 100, step: 1)),
        CharacteristicDefinition(
            name: "VolumeControlType", type: .volumeControlType,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 3, step: 1,
                validValues: [0, 1, 2, 3])),
        CharacteristicDefinition(
            name: "VolumeSelector", type: .volumeSelector,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedWrite], minimum: 0, maximum: 1, step: 1, validValues: [0, 1])),
        CharacteristicDefinition(
            name: "WANConfigurationList", type: .wanConfigurationList,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "WANStatusList", type: .wanStatusList,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead, .notify])),
        CharacteristicDefinition(
            name: "WakeConfiguration", type: .wakeConfiguration,
            metadata: CharacteristicMetadata(format: .tlv8, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "WaterLevel", type: .waterLevel,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedRead, .notify], unit: .percentage, minimum: 0, maximum: 100,
                step: 1)),
        CharacteristicDefinition(
            name: "WiFiCapabilities", type: .wiFiCapabilities,
            metadata: CharacteristicMetadata(format: .uint32, permissions: [.pairedRead])),
        CharacteristicDefinition(
            name: "WiFiConfigurationControl", type: .wiFiConfigurationControl,
            metadata: CharacteristicMetadata(
                format: .tlv8, permissions: [.pairedRead, .pairedWrite, .notify, .timedWrite, .writeResponse])),
        CharacteristicDefinition(
            name: "WiFiSatelliteStatus", type: .wiFiSatelliteStatus,
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .notify], minimum: 0, maximum: 2, validValues: [0, 1, 2])),
    ]
}
