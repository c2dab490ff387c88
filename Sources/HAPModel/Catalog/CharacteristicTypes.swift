// Made by Scripts/generate-catalog from Scripts/catalog/catalog.json. Do not edit.

// swift-format-ignore-file

extension CharacteristicType {
    /// Access Code Control Point.
    public static let accessCodeControlPoint = CharacteristicType(HAPType(apple: 0x262))
    /// Access Code Supported Configuration.
    public static let accessCodeSupportedConfiguration = CharacteristicType(HAPType(apple: 0x261))
    /// Access Control Level.
    public static let accessControlLevel = CharacteristicType(HAPType(apple: 0xE5))
    /// Accessory Flags.
    public static let accessoryFlags = CharacteristicType(HAPType(apple: 0xA6))
    /// Accessory Identifier.
    public static let accessoryIdentifier = CharacteristicType(HAPType(apple: 0x57))
    /// Active.
    public static let active = CharacteristicType(HAPType(apple: 0xB0))
    /// Active Identifier.
    public static let activeIdentifier = CharacteristicType(HAPType(apple: 0xE7))
    /// Activity Interval.
    public static let activityInterval = CharacteristicType(HAPType(apple: 0x23B))
    /// Administrator Only Access.
    public static let administratorOnlyAccess = CharacteristicType(HAPType(apple: 0x1))
    /// Air Particulate Density.
    public static let airParticulateDensity = CharacteristicType(HAPType(apple: 0x64))
    /// Air Particulate Size.
    public static let airParticulateSize = CharacteristicType(HAPType(apple: 0x65))
    /// Air Play Enable.
    public static let airPlayEnable = CharacteristicType(HAPType(apple: 0x25B))
    /// Air Quality.
    public static let airQuality = CharacteristicType(HAPType(apple: 0x95))
    /// App Matching Identifier.
    public static let appMatchingIdentifier = CharacteristicType(HAPType(apple: 0xA4))
    /// Asset Update Readiness.
    public static let assetUpdateReadiness = CharacteristicType(HAPType(apple: 0x269))
    /// Audio Feedback.
    public static let audioFeedback = CharacteristicType(HAPType(apple: 0x5))
    /// Battery Level.
    public static let batteryLevel = CharacteristicType(HAPType(apple: 0x68))
    /// Brightness.
    public static let brightness = CharacteristicType(HAPType(apple: 0x8))
    /// Button Event.
    public static let buttonEvent = CharacteristicType(HAPType(apple: 0x126))
    /// CCA Energy Detect Threshold.
    public static let ccaEnergyDetectThreshold = CharacteristicType(HAPType(apple: 0x246))
    /// CCA Signal Detect Threshold.
    public static let ccaSignalDetectThreshold = CharacteristicType(HAPType(apple: 0x245))
    /// Camera Operating Mode Indicator.
    public static let cameraOperatingModeIndicator = CharacteristicType(HAPType(apple: 0x21D))
    /// Carbon Dioxide Detected.
    public static let carbonDioxideDetected = CharacteristicType(HAPType(apple: 0x92))
    /// Carbon Dioxide Level.
    public static let carbonDioxideLevel = CharacteristicType(HAPType(apple: 0x93))
    /// Carbon Dioxide Peak Level.
    public static let carbonDioxidePeakLevel = CharacteristicType(HAPType(apple: 0x94))
    /// Carbon Monoxide Detected.
    public static let carbonMonoxideDetected = CharacteristicType(HAPType(apple: 0x69))
    /// Carbon Monoxide Level.
    public static let carbonMonoxideLevel = CharacteristicType(HAPType(apple: 0x90))
    /// Carbon Monoxide Peak Level.
    public static let carbonMonoxidePeakLevel = CharacteristicType(HAPType(apple: 0x91))
    /// Characteristic Value Active Transition Count.
    public static let characteristicValueActiveTransitionCount = CharacteristicType(HAPType(apple: 0x24B))
    /// Characteristic Value Transition Control.
    public static let characteristicValueTransitionControl = CharacteristicType(HAPType(apple: 0x143))
    /// Charging State.
    public static let chargingState = CharacteristicType(HAPType(apple: 0x8F))
    /// Closed Captions.
    public static let closedCaptions = CharacteristicType(HAPType(apple: 0xDD))
    /// Color Temperature.
    public static let colorTemperature = CharacteristicType(HAPType(apple: 0xCE))
    /// Configuration State.
    public static let configurationState = CharacteristicType(HAPType(apple: 0x263))
    /// Configured Name.
    public static let configuredName = CharacteristicType(HAPType(apple: 0xE3))
    /// Contact Sensor State.
    public static let contactSensorState = CharacteristicType(HAPType(apple: 0x6A))
    /// Cooling Threshold Temperature.
    public static let coolingThresholdTemperature = CharacteristicType(HAPType(apple: 0xD))
    /// Crypto Hash.
    public static let cryptoHash = CharacteristicType(HAPType(apple: 0x250))
    /// Current Air Purifier State.
    public static let currentAirPurifierState = CharacteristicType(HAPType(apple: 0xA9))
    /// Current Ambient Light Level.
    public static let currentAmbientLightLevel = CharacteristicType(HAPType(apple: 0x6B))
    /// Current Door State.
    public static let currentDoorState = CharacteristicType(HAPType(apple: 0xE))
    /// Current Fan State.
    public static let currentFanState = CharacteristicType(HAPType(apple: 0xAF))
    /// Current Heater Cooler State.
    public static let currentHeaterCoolerState = CharacteristicType(HAPType(apple: 0xB1))
    /// Current Heating Cooling State.
    public static let currentHeatingCoolingState = CharacteristicType(HAPType(apple: 0xF))
    /// Current Horizontal Tilt Angle.
    public static let currentHorizontalTiltAngle = CharacteristicType(HAPType(apple: 0x6C))
    /// Current Humidifier Dehumidifier State.
    public static let currentHumidifierDehumidifierState = CharacteristicType(HAPType(apple: 0xB3))
    /// Current Media State.
    public static let currentMediaState = CharacteristicType(HAPType(apple: 0xE0))
    /// Current Position.
    public static let currentPosition = CharacteristicType(HAPType(apple: 0x6D))
    /// Current Relative Humidity.
    public static let currentRelativeHumidity = CharacteristicType(HAPType(apple: 0x10))
    /// Current Slat State.
    public static let currentSlatState = CharacteristicType(HAPType(apple: 0xAA))
    /// Current Temperature.
    public static let currentTemperature = CharacteristicType(HAPType(apple: 0x11))
    /// Current Tilt Angle.
    public static let currentTiltAngle = CharacteristicType(HAPType(apple: 0xC1))
    /// Current Transport.
    public static let currentTransport = CharacteristicType(HAPType(apple: 0x22B))
    /// Current Vertical Tilt Angle.
    public static let currentVerticalTiltAngle = CharacteristicType(HAPType(apple: 0x6E))
    /// Current Visibility State.
    public static let currentVisibilityState = CharacteristicType(HAPType(apple: 0x135))
    /// Data Stream HAP Transport.
    public static let dataStreamHAPTransport = CharacteristicType(HAPType(apple: 0x138))
    /// Data Stream HAP Transport Interrupt.
    public static let dataStreamHAPTransportInterrupt = CharacteristicType(HAPType(apple: 0x139))
    /// Diagonal Field Of View.
    public static let diagonalFieldOfView = CharacteristicType(HAPType(apple: 0x224))
    /// Digital Zoom.
    public static let digitalZoom = CharacteristicType(HAPType(apple: 0x11D))
    /// Display Order.
    public static let displayOrder = CharacteristicType(HAPType(apple: 0x136))
    /// Event Retransmission Maximum.
    public static let eventRetransmissionMaximum = CharacteristicType(HAPType(apple: 0x23D))
    /// Event Snapshots Active.
    public static let eventSnapshotsActive = CharacteristicType(HAPType(apple: 0x223))
    /// Event Transmission Counters.
    public static let eventTransmissionCounters = CharacteristicType(HAPType(apple: 0x23E))
    /// Filter Change Indication.
    public static let filterChangeIndication = CharacteristicType(HAPType(apple: 0xAC))
    /// Filter Life Level.
    public static let filterLifeLevel = CharacteristicType(HAPType(apple: 0xAB))
    /// Firmware Revision.
    public static let firmwareRevision = CharacteristicType(HAPType(apple: 0x52))
    /// Firmware Update Readiness.
    public static let firmwareUpdateReadiness = CharacteristicType(HAPType(apple: 0x234))
    /// Firmware Update Status.
    public static let firmwareUpdateStatus = CharacteristicType(HAPType(apple: 0x235))
    /// Hardware Finish.
    public static let hardwareFinish = CharacteristicType(HAPType(apple: 0x26C))
    /// Hardware Revision.
    public static let hardwareRevision = CharacteristicType(HAPType(apple: 0x53))
    /// Heart Beat.
    public static let heartBeat = CharacteristicType(HAPType(apple: 0x24A))
    /// Heating Threshold Temperature.
    public static let heatingThresholdTemperature = CharacteristicType(HAPType(apple: 0x12))
    /// Hold Position.
    public static let holdPosition = CharacteristicType(HAPType(apple: 0x6F))
    /// Home Kit Camera Active.
    public static let homeKitCameraActive = CharacteristicType(HAPType(apple: 0x21B))
    /// Hue.
    public static let hue = CharacteristicType(HAPType(apple: 0x13))
    /// Identifier.
    public static let identifier = CharacteristicType(HAPType(apple: 0xE6))
    /// Identify.
    public static let identify = CharacteristicType(HAPType(apple: 0x14))
    /// Image Mirroring.
    public static let imageMirroring = CharacteristicType(HAPType(apple: 0x11F))
    /// Image Rotation.
    public static let imageRotation = CharacteristicType(HAPType(apple: 0x11E))
    /// In Use.
    public static let inUse = CharacteristicType(HAPType(apple: 0xD2))
    /// Input Device Type.
    public static let inputDeviceType = CharacteristicType(HAPType(apple: 0xDC))
    /// Input Source Type.
    public static let inputSourceType = CharacteristicType(HAPType(apple: 0xDB))
    /// Is Configured.
    public static let isConfigured = CharacteristicType(HAPType(apple: 0xD6))
    /// Leak Detected.
    public static let leakDetected = CharacteristicType(HAPType(apple: 0x70))
    /// List Pairings.
    public static let listPairings = CharacteristicType(HAPType(apple: 0x50))
    /// Lock Control Point.
    public static let lockControlPoint = CharacteristicType(HAPType(apple: 0x19))
    /// Lock Current State.
    public static let lockCurrentState = CharacteristicType(HAPType(apple: 0x1D))
    /// Lock Last Known Action.
    public static let lockLastKnownAction = CharacteristicType(HAPType(apple: 0x1C))
    /// Lock Management Auto Security Timeout.
    public static let lockManagementAutoSecurityTimeout = CharacteristicType(HAPType(apple: 0x1A))
    /// Lock Physical Controls.
    public static let lockPhysicalControls = CharacteristicType(HAPType(apple: 0xA7))
    /// Lock Target State.
    public static let lockTargetState = CharacteristicType(HAPType(apple: 0x1E))
    /// Logs.
    public static let logs = CharacteristicType(HAPType(apple: 0x1F))
    /// MAC Retransmission Maximum.
    public static let macRetransmissionMaximum = CharacteristicType(HAPType(apple: 0x247))
    /// MAC Transmission Counters.
    public static let macTransmissionCounters = CharacteristicType(HAPType(apple: 0x248))
    /// Managed Network Enable.
    public static let managedNetworkEnable = CharacteristicType(HAPType(apple: 0x215))
    /// Manually Disabled.
    public static let manuallyDisabled = CharacteristicType(HAPType(apple: 0x227))
    /// Manufacturer.
    public static let manufacturer = CharacteristicType(HAPType(apple: 0x20))
    /// Matter Firmware Revision Number.
    public static let matterFirmwareRevisionNumber = CharacteristicType(HAPType(apple: 0x26D))
    /// Matter Firmware Update Status.
    public static let matterFirmwareUpdateStatus = CharacteristicType(HAPType(apple: 0x26E))
    /// Maximum Transmit Power.
    public static let maximumTransmitPower = CharacteristicType(HAPType(apple: 0x243))
    /// Metrics Buffer Full State.
    public static let metricsBufferFullState = CharacteristicType(HAPType(apple: 0x272))
    /// Model.
    public static let model = CharacteristicType(HAPType(apple: 0x21))
    /// Motion Detected.
    public static let motionDetected = CharacteristicType(HAPType(apple: 0x22))
    /// Multifunction Button.
    public static let multifunctionButton = CharacteristicType(HAPType(apple: 0x26B))
    /// Mute.
    public static let mute = CharacteristicType(HAPType(apple: 0x11A))
    /// NFC Access Control Point.
    public static let nfcAccessControlPoint = CharacteristicType(HAPType(apple: 0x264))
    /// NFC Access Supported Configuration.
    public static let nfcAccessSupportedConfiguration = CharacteristicType(HAPType(apple: 0x265))
    /// Name.
    public static let name = CharacteristicType(HAPType(apple: 0x23))
    /// Network Access Violation Control.
    public static let networkAccessViolationControl = CharacteristicType(HAPType(apple: 0x21F))
    /// Network Client Profile Control.
    public static let networkClientProfileControl = CharacteristicType(HAPType(apple: 0x20C))
    /// Network Client Status Control.
    public static let networkClientStatusControl = CharacteristicType(HAPType(apple: 0x20D))
    /// Night Vision.
    public static let nightVision = CharacteristicType(HAPType(apple: 0x11B))
    /// Nitrogen Dioxide Density.
    public static let nitrogenDioxideDensity = CharacteristicType(HAPType(apple: 0xC4))
    /// Obstruction Detected.
    public static let obstructionDetected = CharacteristicType(HAPType(apple: 0x24))
    /// Occupancy Detected.
    public static let occupancyDetected = CharacteristicType(HAPType(apple: 0x71))
    /// On.
    public static let on = CharacteristicType(HAPType(apple: 0x25))
    /// Operating State Response.
    public static let operatingStateResponse = CharacteristicType(HAPType(apple: 0x232))
    /// Optical Zoom.
    public static let opticalZoom = CharacteristicType(HAPType(apple: 0x11C))
    /// Outlet In Use.
    public static let outletInUse = CharacteristicType(HAPType(apple: 0x26))
    /// Ozone Density.
    public static let ozoneDensity = CharacteristicType(HAPType(apple: 0xC3))
    /// PM10 Density.
    public static let pm10Density = CharacteristicType(HAPType(apple: 0xC7))
    /// PM2_5 Density.
    public static let pm2_5Density = CharacteristicType(HAPType(apple: 0xC6))
    /// Pair Setup.
    public static let pairSetup = CharacteristicType(HAPType(apple: 0x4C))
    /// Pair Verify.
    public static let pairVerify = CharacteristicType(HAPType(apple: 0x4E))
    /// Pairing Features.
    public static let pairingFeatures = CharacteristicType(HAPType(apple: 0x4F))
    /// Password Setting.
    public static let passwordSetting = CharacteristicType(HAPType(apple: 0xE4))
    /// Periodic Snapshots Active.
    public static let periodicSnapshotsActive = CharacteristicType(HAPType(apple: 0x225))
    /// Picture Mode.
    public static let pictureMode = CharacteristicType(HAPType(apple: 0xE2))
    /// Ping.
    public static let ping = CharacteristicType(HAPType(apple: 0x23C))
    /// Position State.
    public static let positionState = CharacteristicType(HAPType(apple: 0x72))
    /// Power Mode Selection.
    public static let powerModeSelection = CharacteristicType(HAPType(apple: 0xDF))
    /// Product Data.
    public static let productData = CharacteristicType(HAPType(apple: 0x220))
    /// Program Mode.
    public static let programMode = CharacteristicType(HAPType(apple: 0xD1))
    /// Programmable Switch Event.
    public static let programmableSwitchEvent = CharacteristicType(HAPType(apple: 0x73))
    /// Programmable Switch Output State.
    public static let programmableSwitchOutputState = CharacteristicType(HAPType(apple: 0x74))
    /// Received Signal Strength Indication.
    public static let receivedSignalStrengthIndication = CharacteristicType(HAPType(apple: 0x23F))
    /// Receiver Sensitivity.
    public static let receiverSensitivity = CharacteristicType(HAPType(apple: 0x244))
    /// Recording Audio Active.
    public static let recordingAudioActive = CharacteristicType(HAPType(apple: 0x226))
    /// Relative Humidity Dehumidifier Threshold.
    public static let relativeHumidityDehumidifierThreshold = CharacteristicType(HAPType(apple: 0xC9))
    /// Relative Humidity Humidifier Threshold.
    public static let relativeHumidityHumidifierThreshold = CharacteristicType(HAPType(apple: 0xCA))
    /// Relay Control Point.
    public static let relayControlPoint = CharacteristicType(HAPType(apple: 0x5E))
    /// Relay Enabled.
    public static let relayEnabled = CharacteristicType(HAPType(apple: 0x5B))
    /// Relay State.
    public static let relayState = CharacteristicType(HAPType(apple: 0x5C))
    /// Remaining Duration.
    public static let remainingDuration = CharacteristicType(HAPType(apple: 0xD4))
    /// Remote Key.
    public static let remoteKey = CharacteristicType(HAPType(apple: 0xE1))
    /// Reset Filter Indication.
    public static let resetFilterIndication = CharacteristicType(HAPType(apple: 0xAD))
    /// Rotation Direction.
    public static let rotationDirection = CharacteristicType(HAPType(apple: 0x28))
    /// Rotation Speed.
    public static let rotationSpeed = CharacteristicType(HAPType(apple: 0x29))
    /// Router Status.
    public static let routerStatus = CharacteristicType(HAPType(apple: 0x20E))
    /// Saturation.
    public static let saturation = CharacteristicType(HAPType(apple: 0x2F))
    /// Security System Alarm Type.
    public static let securitySystemAlarmType = CharacteristicType(HAPType(apple: 0x8E))
    /// Security System Current State.
    public static let securitySystemCurrentState = CharacteristicType(HAPType(apple: 0x66))
    /// Security System Target State.
    public static let securitySystemTargetState = CharacteristicType(HAPType(apple: 0x67))
    /// Selected Audio Stream Configuration.
    public static let selectedAudioStreamConfiguration = CharacteristicType(HAPType(apple: 0x128))
    /// Selected Camera Recording Configuration.
    public static let selectedCameraRecordingConfiguration = CharacteristicType(HAPType(apple: 0x209))
    /// Selected Diagnostics Modes.
    public static let selectedDiagnosticsModes = CharacteristicType(HAPType(apple: 0x24D))
    /// Selected RTP Stream Configuration.
    public static let selectedRTPStreamConfiguration = CharacteristicType(HAPType(apple: 0x117))
    /// Selected Sleep Configuration.
    public static let selectedSleepConfiguration = CharacteristicType(HAPType(apple: 0x252))
    /// Serial Number.
    public static let serialNumber = CharacteristicType(HAPType(apple: 0x30))
    /// Service Label Index.
    public static let serviceLabelIndex = CharacteristicType(HAPType(apple: 0xCB))
    /// Service Label Namespace.
    public static let serviceLabelNamespace = CharacteristicType(HAPType(apple: 0xCD))
    /// Set Duration.
    public static let setDuration = CharacteristicType(HAPType(apple: 0xD3))
    /// Setup Data Stream Transport.
    public static let setupDataStreamTransport = CharacteristicType(HAPType(apple: 0x131))
    /// Setup Endpoints.
    public static let setupEndpoints = CharacteristicType(HAPType(apple: 0x118))
    /// Setup Transfer Transport.
    public static let setupTransferTransport = CharacteristicType(HAPType(apple: 0x201))
    /// Signal To Noise Ratio.
    public static let signalToNoiseRatio = CharacteristicType(HAPType(apple: 0x241))
    /// Siri Enable.
    public static let siriEnable = CharacteristicType(HAPType(apple: 0x255))
    /// Siri Endpoint Session Status.
    public static let siriEndpointSessionStatus = CharacteristicType(HAPType(apple: 0x254))
    /// Siri Engine Version.
    public static let siriEngineVersion = CharacteristicType(HAPType(apple: 0x25A))
    /// Siri Input Type.
    public static let siriInputType = CharacteristicType(HAPType(apple: 0x132))
    /// Siri Light On Use.
    public static let siriLightOnUse = CharacteristicType(HAPType(apple: 0x258))
    /// Siri Listening.
    public static let siriListening = CharacteristicType(HAPType(apple: 0x256))
    /// Siri Touch To Use.
    public static let siriTouchToUse = CharacteristicType(HAPType(apple: 0x257))
    /// Slat Type.
    public static let slatType = CharacteristicType(HAPType(apple: 0xC0))
    /// Sleep Discovery Mode.
    public static let sleepDiscoveryMode = CharacteristicType(HAPType(apple: 0xE8))
    /// Sleep Interval.
    public static let sleepInterval = CharacteristicType(HAPType(apple: 0x23A))
    /// Smoke Detected.
    public static let smokeDetected = CharacteristicType(HAPType(apple: 0x76))
    /// Software Revision.
    public static let softwareRevision = CharacteristicType(HAPType(apple: 0x54))
    /// Staged Firmware Version.
    public static let stagedFirmwareVersion = CharacteristicType(HAPType(apple: 0x249))
    /// Status Active.
    public static let statusActive = CharacteristicType(HAPType(apple: 0x75))
    /// Status Fault.
    public static let statusFault = CharacteristicType(HAPType(apple: 0x77))
    /// Status Jammed.
    public static let statusJammed = CharacteristicType(HAPType(apple: 0x78))
    /// Status Low Battery.
    public static let statusLowBattery = CharacteristicType(HAPType(apple: 0x79))
    /// Status Tampered.
    public static let statusTampered = CharacteristicType(HAPType(apple: 0x7A))
    /// Streaming Status.
    public static let streamingStatus = CharacteristicType(HAPType(apple: 0x120))
    /// Sulphur Dioxide Density.
    public static let sulphurDioxideDensity = CharacteristicType(HAPType(apple: 0xC5))
    /// Supported Asset Types.
    public static let supportedAssetTypes = CharacteristicType(HAPType(apple: 0x268))
    /// Supported Audio Recording Configuration.
    public static let supportedAudioRecordingConfiguration = CharacteristicType(HAPType(apple: 0x207))
    /// Supported Audio Stream Configuration.
    public static let supportedAudioStreamConfiguration = CharacteristicType(HAPType(apple: 0x115))
    /// Supported Camera Recording Configuration.
    public static let supportedCameraRecordingConfiguration = CharacteristicType(HAPType(apple: 0x205))
    /// Supported Characteristic Value Transition Configuration.
    public static let supportedCharacteristicValueTransitionConfiguration = CharacteristicType(HAPType(apple: 0x144))
    /// Supported Data Stream Transport Configuration.
    public static let supportedDataStreamTransportConfiguration = CharacteristicType(HAPType(apple: 0x130))
    /// Supported Diagnostics Modes.
    public static let supportedDiagnosticsModes = CharacteristicType(HAPType(apple: 0x24C))
    /// Supported Diagnostics Snapshot.
    public static let supportedDiagnosticsSnapshot = CharacteristicType(HAPType(apple: 0x238))
    /// Supported Firmware Update Configuration.
    public static let supportedFirmwareUpdateConfiguration = CharacteristicType(HAPType(apple: 0x233))
    /// Supported Metrics.
    public static let supportedMetrics = CharacteristicType(HAPType(apple: 0x271))
    /// Supported RTP Configuration.
    public static let supportedRTPConfiguration = CharacteristicType(HAPType(apple: 0x116))
    /// Supported Router Configuration.
    public static let supportedRouterConfiguration = CharacteristicType(HAPType(apple: 0x210))
    /// Supported Sleep Configuration.
    public static let supportedSleepConfiguration = CharacteristicType(HAPType(apple: 0x251))
    /// Supported Transfer Transport Configuration.
    public static let supportedTransferTransportConfiguration = CharacteristicType(HAPType(apple: 0x202))
    /// Supported Video Recording Configuration.
    public static let supportedVideoRecordingConfiguration = CharacteristicType(HAPType(apple: 0x206))
    /// Supported Video Stream Configuration.
    public static let supportedVideoStreamConfiguration = CharacteristicType(HAPType(apple: 0x114))
    /// Swing Mode.
    public static let swingMode = CharacteristicType(HAPType(apple: 0xB6))
    /// Tap Type.
    public static let tapType = CharacteristicType(HAPType(apple: 0x22F))
    /// Target Air Purifier State.
    public static let targetAirPurifierState = CharacteristicType(HAPType(apple: 0xA8))
    /// Target Control List.
    public static let targetControlList = CharacteristicType(HAPType(apple: 0x124))
    /// Target Control Supported Configuration.
    public static let targetControlSupportedConfiguration = CharacteristicType(HAPType(apple: 0x123))
    /// Target Door State.
    public static let targetDoorState = CharacteristicType(HAPType(apple: 0x32))
    /// Target Fan State.
    public static let targetFanState = CharacteristicType(HAPType(apple: 0xBF))
    /// Target Heater Cooler State.
    public static let targetHeaterCoolerState = CharacteristicType(HAPType(apple: 0xB2))
    /// Target Heating Cooling State.
    public static let targetHeatingCoolingState = CharacteristicType(HAPType(apple: 0x33))
    /// Target Horizontal Tilt Angle.
    public static let targetHorizontalTiltAngle = CharacteristicType(HAPType(apple: 0x7B))
    /// Target Humidifier Dehumidifier State.
    public static let targetHumidifierDehumidifierState = CharacteristicType(HAPType(apple: 0xB4))
    /// Target Media State.
    public static let targetMediaState = CharacteristicType(HAPType(apple: 0x137))
    /// Target Position.
    public static let targetPosition = CharacteristicType(HAPType(apple: 0x7C))
    /// Target Relative Humidity.
    public static let targetRelativeHumidity = CharacteristicType(HAPType(apple: 0x34))
    /// Target Temperature.
    public static let targetTemperature = CharacteristicType(HAPType(apple: 0x35))
    /// Target Tilt Angle.
    public static let targetTiltAngle = CharacteristicType(HAPType(apple: 0xC2))
    /// Target Vertical Tilt Angle.
    public static let targetVerticalTiltAngle = CharacteristicType(HAPType(apple: 0x7D))
    /// Target Visibility State.
    public static let targetVisibilityState = CharacteristicType(HAPType(apple: 0x134))
    /// Temperature Display Units.
    public static let temperatureDisplayUnits = CharacteristicType(HAPType(apple: 0x36))
    /// Third Party Camera Active.
    public static let thirdPartyCameraActive = CharacteristicType(HAPType(apple: 0x21C))
    /// Thread Control Point.
    public static let threadControlPoint = CharacteristicType(HAPType(apple: 0x704))
    /// Thread Node Capabilities.
    public static let threadNodeCapabilities = CharacteristicType(HAPType(apple: 0x702))
    /// Thread Open Thread Version.
    public static let threadOpenThreadVersion = CharacteristicType(HAPType(apple: 0x706))
    /// Thread Status.
    public static let threadStatus = CharacteristicType(HAPType(apple: 0x703))
    /// Token.
    public static let token = CharacteristicType(HAPType(apple: 0x231))
    /// Transmit Power.
    public static let transmitPower = CharacteristicType(HAPType(apple: 0x242))
    /// Tunnel Connection Timeout.
    public static let tunnelConnectionTimeout = CharacteristicType(HAPType(apple: 0x61))
    /// Tunneled Accessory Advertising.
    public static let tunneledAccessoryAdvertising = CharacteristicType(HAPType(apple: 0x60))
    /// Tunneled Accessory Connected.
    public static let tunneledAccessoryConnected = CharacteristicType(HAPType(apple: 0x59))
    /// Tunneled Accessory State Number.
    public static let tunneledAccessoryStateNumber = CharacteristicType(HAPType(apple: 0x58))
    /// VOC Density.
    public static let vocDensity = CharacteristicType(HAPType(apple: 0xC8))
    /// Valve Type.
    public static let valveType = CharacteristicType(HAPType(apple: 0xD5))
    /// Version.
    public static let version = CharacteristicType(HAPType(apple: 0x37))
    /// Video Analysis Active.
    public static let videoAnalysisActive = CharacteristicType(HAPType(apple: 0x229))
    /// Volume.
    public static let volume = CharacteristicType(HAPType(apple: 0x119))
    /// Volume Control Type.
    public static let volumeControlType = CharacteristicType(HAPType(apple: 0xE9))
    /// Volume Selector.
    public static let volumeSelector = CharacteristicType(HAPType(apple: 0xEA))
    /// WAN Configuration List.
    public static let wanConfigurationList = CharacteristicType(HAPType(apple: 0x211))
    /// WAN Status List.
    public static let wanStatusList = CharacteristicType(HAPType(apple: 0x212))
    /// Wake Configuration.
    public static let wakeConfiguration = CharacteristicType(HAPType(apple: 0x222))
    /// Water Level.
    public static let waterLevel = CharacteristicType(HAPType(apple: 0xB5))
    /// Wi Fi Capabilities.
    public static let wiFiCapabilities = CharacteristicType(HAPType(apple: 0x22C))
    /// Wi Fi Configuration Control.
    public static let wiFiConfigurationControl = CharacteristicType(HAPType(apple: 0x22D))
    /// Wi Fi Satellite Status.
    public static let wiFiSatelliteStatus = CharacteristicType(HAPType(apple: 0x21E))
}
