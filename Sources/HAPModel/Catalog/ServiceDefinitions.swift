// Made by Scripts/generate-catalog from Scripts/catalog/catalog.json. Do not edit.

// swift-format-ignore-file

extension ServiceDefinition {
    /// Every service that Apple defines, by name.
    public static let all: [ServiceDefinition] = [
        ServiceDefinition(
            name: "AccessCode", type: .accessCode,
            required: [
                .accessCodeControlPoint, .accessCodeSupportedConfiguration, .configurationState
            ],
            optional: []),
        ServiceDefinition(
            name: "AccessControl", type: .accessControl,
            required: [
                .accessControlLevel
            ],
            optional: [
                .passwordSetting
            ]),
        ServiceDefinition(
            name: "AccessoryInformation", type: .accessoryInformation,
            required: [
                .firmwareRevision, .identify, .manufacturer, .model, .name, .serialNumber
            ],
            optional: [
                .accessoryFlags, .appMatchingIdentifier, .configuredName, .hardwareFinish, .hardwareRevision,
                .matterFirmwareRevisionNumber, .productData, .softwareRevision
            ]),
        ServiceDefinition(
            name: "AccessoryMetrics", type: .accessoryMetrics,
            required: [
                .active, .metricsBufferFullState, .supportedMetrics
            ],
            optional: []),
        ServiceDefinition(
            name: "AccessoryRuntimeInformation", type: .accessoryRuntimeInformation,
            required: [
                .ping
            ],
            optional: [
                .activityInterval, .heartBeat, .sleepInterval
            ]),
        ServiceDefinition(
            name: "AirPurifier", type: .airPurifier,
            required: [
                .active, .currentAirPurifierState, .targetAirPurifierState
            ],
            optional: [
                .lockPhysicalControls, .name, .rotationSpeed, .swingMode
            ]),
        ServiceDefinition(
            name: "AirQualitySensor", type: .airQualitySensor,
            required: [
                .airQuality
            ],
            optional: [
                .name, .nitrogenDioxideDensity, .ozoneDensity, .pm10Density, .pm2_5Density, .statusActive,
                .statusFault, .statusLowBattery, .statusTampered, .sulphurDioxideDensity, .vocDensity
            ]),
        ServiceDefinition(
            name: "AssetUpdate", type: .assetUpdate,
            required: [
                .assetUpdateReadiness, .supportedAssetTypes
            ],
            optional: []),
        ServiceDefinition(
            name: "Assistant", type: .assistant,
            required: [
                .active, .identifier, .name
            ],
            optional: []),
        ServiceDefinition(
            name: "AudioStreamManagement", type: .audioStreamManagement,
            required: [
                .selectedAudioStreamConfiguration, .supportedAudioStreamConfiguration
            ],
            optional: []),
        ServiceDefinition(
            name: "Battery", type: .battery,
            required: [
                .statusLowBattery
            ],
            optional: [
                .batteryLevel, .chargingState, .name
            ]),
        ServiceDefinition(
            name: "CameraOperatingMode", type: .cameraOperatingMode,
            required: [
                .eventSnapshotsActive, .homeKitCameraActive
            ],
            optional: [
                .cameraOperatingModeIndicator, .diagonalFieldOfView, .manuallyDisabled, .nightVision,
                .periodicSnapshotsActive, .thirdPartyCameraActive
            ]),
        ServiceDefinition(
            name: "CameraRTPStreamManagement", type: .cameraRTPStreamManagement,
            required: [
                .selectedRTPStreamConfiguration, .setupEndpoints, .streamingStatus,
                .supportedAudioStreamConfiguration, .supportedRTPConfiguration, .supportedVideoStreamConfiguration
            ],
            optional: [
                .active
            ]),
        ServiceDefinition(
            name: "CameraRecordingManagement", type: .cameraRecordingManagement,
            required: [
                .active, .selectedCameraRecordingConfiguration, .supportedAudioRecordingConfiguration,
                .supportedCameraRecordingConfiguration, .supportedVideoRecordingConfiguration
            ],
            optional: [
                .recordingAudioActive
            ]),
        ServiceDefinition(
            name: "CarbonDioxideSensor", type: .carbonDioxideSensor,
            required: [
                .carbonDioxideDetected
            ],
            optional: [
                .carbonDioxideLevel, .carbonDioxidePeakLevel, .name, .statusActive, .statusFault, .statusLowBattery,
                .statusTampered
            ]),
        ServiceDefinition(
            name: "CarbonMonoxideSensor", type: .carbonMonoxideSensor,
            required: [
                .carbonMonoxideDetected
            ],
            optional: [
                .carbonMonoxideLevel, .carbonMonoxidePeakLevel, .name, .statusActive, .statusFault, .statusLowBattery,
                .statusTampered
            ]),
        ServiceDefinition(
            name: "CloudRelay", type: .cloudRelay,
            required: [
                .relayControlPoint, .relayEnabled, .relayState
            ],
            optional: []),
        ServiceDefinition(
            name: "ContactSensor", type: .contactSensor,
            required: [
                .contactSensorState
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "DataStreamTransportManagement", type: .dataStreamTransportManagement,
            required: [
                .setupDataStreamTransport, .supportedDataStreamTransportConfiguration, .version
            ],
            optional: []),
        ServiceDefinition(
            name: "Diagnostics", type: .diagnostics,
            required: [
                .supportedDiagnosticsSnapshot
            ],
            optional: [
                .selectedDiagnosticsModes, .supportedDiagnosticsModes
            ]),
        ServiceDefinition(
            name: "Door", type: .door,
            required: [
                .currentPosition, .positionState, .targetPosition
            ],
            optional: [
                .holdPosition, .name, .obstructionDetected
            ]),
        ServiceDefinition(
            name: "Doorbell", type: .doorbell,
            required: [
                .programmableSwitchEvent
            ],
            optional: [
                .brightness, .mute, .name, .operatingStateResponse, .volume
            ]),
        ServiceDefinition(
            name: "Fan", type: .fan,
            required: [
                .on
            ],
            optional: [
                .name, .rotationDirection, .rotationSpeed
            ]),
        ServiceDefinition(
            name: "Fanv2", type: .fanv2,
            required: [
                .active
            ],
            optional: [
                .currentFanState, .lockPhysicalControls, .name, .rotationDirection, .rotationSpeed, .swingMode,
                .targetFanState
            ]),
        ServiceDefinition(
            name: "Faucet", type: .faucet,
            required: [
                .active
            ],
            optional: [
                .name, .statusFault
            ]),
        ServiceDefinition(
            name: "FilterMaintenance", type: .filterMaintenance,
            required: [
                .filterChangeIndication
            ],
            optional: [
                .filterLifeLevel, .name, .resetFilterIndication
            ]),
        ServiceDefinition(
            name: "FirmwareUpdate", type: .firmwareUpdate,
            required: [
                .firmwareUpdateReadiness, .firmwareUpdateStatus
            ],
            optional: [
                .matterFirmwareUpdateStatus, .stagedFirmwareVersion, .supportedFirmwareUpdateConfiguration
            ]),
        ServiceDefinition(
            name: "GarageDoorOpener", type: .garageDoorOpener,
            required: [
                .currentDoorState, .obstructionDetected, .targetDoorState
            ],
            optional: [
                .lockCurrentState, .lockTargetState, .name
            ]),
        ServiceDefinition(
            name: "HeaterCooler", type: .heaterCooler,
            required: [
                .active, .currentHeaterCoolerState, .currentTemperature, .targetHeaterCoolerState
            ],
            optional: [
                .coolingThresholdTemperature, .heatingThresholdTemperature, .lockPhysicalControls, .name,
                .rotationSpeed, .swingMode, .temperatureDisplayUnits
            ]),
        ServiceDefinition(
            name: "HumidifierDehumidifier", type: .humidifierDehumidifier,
            required: [
                .active, .currentHumidifierDehumidifierState, .currentRelativeHumidity,
                .targetHumidifierDehumidifierState
            ],
            optional: [
                .lockPhysicalControls, .name, .relativeHumidityDehumidifierThreshold,
                .relativeHumidityHumidifierThreshold, .rotationSpeed, .swingMode, .waterLevel
            ]),
        ServiceDefinition(
            name: "HumiditySensor", type: .humiditySensor,
            required: [
                .currentRelativeHumidity
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "InputSource", type: .inputSource,
            required: [
                .configuredName, .currentVisibilityState, .inputSourceType, .isConfigured, .name
            ],
            optional: [
                .identifier, .inputDeviceType, .targetVisibilityState
            ]),
        ServiceDefinition(
            name: "IrrigationSystem", type: .irrigationSystem,
            required: [
                .active, .inUse, .programMode
            ],
            optional: [
                .name, .remainingDuration, .statusFault
            ]),
        ServiceDefinition(
            name: "LeakSensor", type: .leakSensor,
            required: [
                .leakDetected
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "LightSensor", type: .lightSensor,
            required: [
                .currentAmbientLightLevel
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "Lightbulb", type: .lightbulb,
            required: [
                .on
            ],
            optional: [
                .brightness, .characteristicValueActiveTransitionCount, .characteristicValueTransitionControl,
                .colorTemperature, .hue, .name, .saturation, .supportedCharacteristicValueTransitionConfiguration
            ]),
        ServiceDefinition(
            name: "LockManagement", type: .lockManagement,
            required: [
                .lockControlPoint, .version
            ],
            optional: [
                .administratorOnlyAccess, .audioFeedback, .currentDoorState, .lockLastKnownAction,
                .lockManagementAutoSecurityTimeout, .logs, .motionDetected
            ]),
        ServiceDefinition(
            name: "LockMechanism", type: .lockMechanism,
            required: [
                .lockCurrentState, .lockTargetState
            ],
            optional: [
                .name
            ]),
        ServiceDefinition(
            name: "Microphone", type: .microphone,
            required: [
                .mute
            ],
            optional: [
                .volume
            ]),
        ServiceDefinition(
            name: "MotionSensor", type: .motionSensor,
            required: [
                .motionDetected
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "NFCAccess", type: .nfcAccess,
            required: [
                .configurationState, .nfcAccessControlPoint, .nfcAccessSupportedConfiguration
            ],
            optional: []),
        ServiceDefinition(
            name: "OccupancySensor", type: .occupancySensor,
            required: [
                .occupancyDetected
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "Outlet", type: .outlet,
            required: [
                .on, .outletInUse
            ],
            optional: [
                .name
            ]),
        ServiceDefinition(
            name: "Pairing", type: .pairing,
            required: [
                .listPairings, .pairSetup, .pairVerify, .pairingFeatures
            ],
            optional: []),
        ServiceDefinition(
            name: "PowerManagement", type: .powerManagement,
            required: [
                .wakeConfiguration
            ],
            optional: [
                .selectedSleepConfiguration, .supportedSleepConfiguration
            ]),
        ServiceDefinition(
            name: "ProtocolInformation", type: .protocolInformation,
            required: [
                .version
            ],
            optional: []),
        ServiceDefinition(
            name: "SecuritySystem", type: .securitySystem,
            required: [
                .securitySystemCurrentState, .securitySystemTargetState
            ],
            optional: [
                .name, .securitySystemAlarmType, .statusFault, .statusTampered
            ]),
        ServiceDefinition(
            name: "ServiceLabel", type: .serviceLabel,
            required: [
                .serviceLabelNamespace
            ],
            optional: []),
        ServiceDefinition(
            name: "Siri", type: .siri,
            required: [
                .siriInputType
            ],
            optional: [
                .multifunctionButton, .siriEnable, .siriEngineVersion, .siriLightOnUse, .siriListening,
                .siriTouchToUse
            ]),
        ServiceDefinition(
            name: "SiriEndpoint", type: .siriEndpoint,
            required: [
                .siriEndpointSessionStatus, .version
            ],
            optional: [
                .activeIdentifier, .manuallyDisabled
            ]),
        ServiceDefinition(
            name: "Slats", type: .slats,
            required: [
                .currentSlatState, .slatType
            ],
            optional: [
                .currentTiltAngle, .name, .swingMode, .targetTiltAngle
            ]),
        ServiceDefinition(
            name: "SmartSpeaker", type: .smartSpeaker,
            required: [
                .currentMediaState, .targetMediaState
            ],
            optional: [
                .airPlayEnable, .configuredName, .mute, .name, .volume
            ]),
        ServiceDefinition(
            name: "SmokeSensor", type: .smokeSensor,
            required: [
                .smokeDetected
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "Speaker", type: .speaker,
            required: [
                .mute
            ],
            optional: [
                .active, .volume, .volumeControlType, .volumeSelector
            ]),
        ServiceDefinition(
            name: "StatefulProgrammableSwitch", type: .statefulProgrammableSwitch,
            required: [
                .programmableSwitchEvent, .programmableSwitchOutputState
            ],
            optional: [
                .name
            ]),
        ServiceDefinition(
            name: "StatelessProgrammableSwitch", type: .statelessProgrammableSwitch,
            required: [
                .programmableSwitchEvent
            ],
            optional: [
                .name, .serviceLabelIndex
            ]),
        ServiceDefinition(
            name: "Switch", type: .switch,
            required: [
                .on
            ],
            optional: [
                .name
            ]),
        ServiceDefinition(
            name: "TapManagement", type: .tapManagement,
            required: [
                .active, .cryptoHash, .tapType, .token
            ],
            optional: []),
        ServiceDefinition(
            name: "TargetControl", type: .targetControl,
            required: [
                .active, .activeIdentifier, .buttonEvent
            ],
            optional: [
                .name
            ]),
        ServiceDefinition(
            name: "TargetControlManagement", type: .targetControlManagement,
            required: [
                .targetControlList, .targetControlSupportedConfiguration
            ],
            optional: []),
        ServiceDefinition(
            name: "Television", type: .television,
            required: [
                .active, .activeIdentifier, .configuredName, .remoteKey, .sleepDiscoveryMode
            ],
            optional: [
                .brightness, .closedCaptions, .currentMediaState, .displayOrder, .name, .pictureMode,
                .powerModeSelection, .targetMediaState
            ]),
        ServiceDefinition(
            name: "TemperatureSensor", type: .temperatureSensor,
            required: [
                .currentTemperature
            ],
            optional: [
                .name, .statusActive, .statusFault, .statusLowBattery, .statusTampered
            ]),
        ServiceDefinition(
            name: "Thermostat", type: .thermostat,
            required: [
                .currentHeatingCoolingState, .currentTemperature, .targetHeatingCoolingState, .targetTemperature,
                .temperatureDisplayUnits
            ],
            optional: [
                .coolingThresholdTemperature, .currentRelativeHumidity, .heatingThresholdTemperature, .name,
                .targetRelativeHumidity
            ]),
        ServiceDefinition(
            name: "ThreadTransport", type: .threadTransport,
            required: [
                .currentTransport, .threadControlPoint, .threadNodeCapabilities, .threadStatus
            ],
            optional: [
                .ccaEnergyDetectThreshold, .ccaSignalDetectThreshold, .eventRetransmissionMaximum,
                .eventTransmissionCounters, .macRetransmissionMaximum, .macTransmissionCounters,
                .maximumTransmitPower, .receivedSignalStrengthIndication, .receiverSensitivity, .signalToNoiseRatio,
                .threadOpenThreadVersion, .transmitPower
            ]),
        ServiceDefinition(
            name: "TransferTransportManagement", type: .transferTransportManagement,
            required: [
                .setupTransferTransport, .supportedTransferTransportConfiguration
            ],
            optional: []),
        ServiceDefinition(
            name: "Tunnel", type: .tunnel,
            required: [
                .accessoryIdentifier, .tunnelConnectionTimeout, .tunneledAccessoryAdvertising,
                .tunneledAccessoryConnected, .tunneledAccessoryStateNumber
            ],
            optional: []),
        ServiceDefinition(
            name: "Valve", type: .valve,
            required: [
                .active, .inUse, .valveType
            ],
            optional: [
                .isConfigured, .name, .remainingDuration, .serviceLabelIndex, .setDuration, .statusFault
            ]),
        ServiceDefinition(
            name: "WiFiRouter", type: .wiFiRouter,
            required: [
                .configuredName, .managedNetworkEnable, .networkAccessViolationControl, .networkClientProfileControl,
                .networkClientStatusControl, .routerStatus, .supportedRouterConfiguration, .wanConfigurationList,
                .wanStatusList
            ],
            optional: []),
        ServiceDefinition(
            name: "WiFiSatellite", type: .wiFiSatellite,
            required: [
                .wiFiSatelliteStatus
            ],
            optional: []),
        ServiceDefinition(
            name: "WiFiTransport", type: .wiFiTransport,
            required: [
                .currentTransport, .wiFiCapabilities
            ],
            optional: [
                .wiFiConfigurationControl
            ]),
        ServiceDefinition(
            name: "Window", type: .window,
            required: [
                .currentPosition, .positionState, .targetPosition
            ],
            optional: [
                .holdPosition, .name, .obstructionDetected
            ]),
        ServiceDefinition(
            name: "WindowCovering", type: .windowCovering,
            required: [
                .currentPosition, .positionState, .targetPosition
            ],
            optional: [
                .currentHorizontalTiltAngle, .currentVerticalTiltAngle, .holdPosition, .name, .obstructionDetected,
                .targetHorizontalTiltAngle, .targetVerticalTiltAngle
            ]),
    ]
}
