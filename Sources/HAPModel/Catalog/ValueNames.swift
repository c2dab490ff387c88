// Made by Scripts/generate-catalog from Scripts/catalog/catalog.json. Do not edit.

// swift-format-ignore-file

extension CharacteristicType {
    static let valueNames: [CharacteristicType: [Int64: String]] = [
        .active: [
            0: "Inactive",
            1: "Active",
        ],
        .airParticulateSize: [
            0: "PM2_5",
            1: "PM10",
        ],
        .airQuality: [
            0: "Unknown",
            1: "Excellent",
            2: "Good",
            3: "Fair",
            4: "Inferior",
            5: "Poor",
        ],
        .cameraOperatingModeIndicator: [
            0: "Disable",
            1: "Enable",
        ],
        .carbonDioxideDetected: [
            0: "CO2LevelsNormal",
            1: "CO2LevelsAbnormal",
        ],
        .carbonMonoxideDetected: [
            0: "COLevelsNormal",
            1: "COLevelsAbnormal",
        ],
        .chargingState: [
            0: "NotCharging",
            1: "Charging",
            2: "NotChargeable",
        ],
        .closedCaptions: [
            0: "Disabled",
            1: "Enabled",
        ],
        .contactSensorState: [
            0: "ContactDetected",
            1: "ContactNotDetected",
        ],
        .currentAirPurifierState: [
            0: "Inactive",
            1: "Idle",
            2: "PurifyingAir",
        ],
        .currentDoorState: [
            0: "Open",
            1: "Closed",
            2: "Opening",
            3: "Closing",
            4: "Stopped",
        ],
        .currentFanState: [
            0: "Inactive",
            1: "Idle",
            2: "BlowingAir",
        ],
        .currentHeaterCoolerState: [
            0: "Inactive",
            1: "Idle",
            2: "Heating",
            3: "Cooling",
        ],
        .currentHeatingCoolingState: [
            0: "Off",
            1: "Heat",
            2: "Cool",
        ],
        .currentHumidifierDehumidifierState: [
            0: "Inactive",
            1: "Idle",
            2: "Humidifying",
            3: "Dehumidifying",
        ],
        .currentMediaState: [
            0: "Play",
            1: "Pause",
            2: "Stop",
            4: "Loading",
            5: "Interrupted",
        ],
        .currentSlatState: [
            0: "Fixed",
            1: "Jammed",
            2: "Swinging",
        ],
        .currentVisibilityState: [
            0: "Shown",
            1: "Hidden",
        ],
        .eventSnapshotsActive: [
            0: "Disable",
            1: "Enable",
        ],
        .filterChangeIndication: [
            0: "FilterOK",
            1: "ChangeFilter",
        ],
        .homeKitCameraActive: [
            0: "Off",
            1: "On",
        ],
        .inUse: [
            0: "NotInUse",
            1: "InUse",
        ],
        .inputDeviceType: [
            0: "Other",
            1: "TV",
            2: "Recording",
            3: "Tuner",
            4: "Playback",
            5: "AudioSystem",
        ],
        .inputSourceType: [
            0: "Other",
            1: "HomeScreen",
            2: "Tuner",
            3: "HDMI",
            4: "CompositeVideo",
            5: "SVideo",
            6: "ComponentVideo",
            7: "DVI",
            8: "AirPlay",
            9: "USB",
            10: "Application",
        ],
        .isConfigured: [
            0: "NotConfigured",
            1: "Configured",
        ],
        .leakDetected: [
            0: "LeakNotDetected",
            1: "LeakDetected",
        ],
        .lockCurrentState: [
            0: "Unsecured",
            1: "Secured",
            2: "Jammed",
            3: "Unknown",
        ],
        .lockLastKnownAction: [
            0: "SecuredPhysicallyInterior",
            1: "UnsecuredPhysicallyInterior",
            2: "SecuredPhysicallyExterior",
            3: "UnsecuredPhysicallyExterior",
            4: "SecuredByKeypad",
            5: "UnsecuredByKeypad",
            6: "SecuredRemotely",
            7: "UnsecuredRemotely",
            8: "SecuredByAutoSecureTimeout",
            9: "SecuredPhysically",
            10: "UnsecuredPhysically",
        ],
        .lockPhysicalControls: [
            0: "ControlLockDisabled",
            1: "ControlLockEnabled",
        ],
        .lockTargetState: [
            0: "Unsecured",
            1: "Secured",
        ],
        .managedNetworkEnable: [
            0: "Disabled",
            1: "Enabled",
        ],
        .manuallyDisabled: [
            0: "Enabled",
            1: "Disabled",
        ],
        .occupancyDetected: [
            0: "OccupancyNotDetected",
            1: "OccupancyDetected",
        ],
        .periodicSnapshotsActive: [
            0: "Disable",
            1: "Enable",
        ],
        .pictureMode: [
            0: "Other",
            1: "Standard",
            2: "Calibrated",
            3: "CalibratedDark",
            4: "Vivid",
            5: "Game",
            6: "Computer",
            7: "Custom",
        ],
        .positionState: [
            0: "Decreasing",
            1: "Increasing",
            2: "Stopped",
        ],
        .powerModeSelection: [
            0: "Show",
            1: "Hide",
        ],
        .programMode: [
            0: "NoProgramScheduled",
            1: "ProgramScheduled",
            2: "ProgramScheduledManualMode",
        ],
        .programmableSwitchEvent: [
            0: "SinglePress",
            1: "DoublePress",
            2: "LongPress",
        ],
        .recordingAudioActive: [
            0: "Disable",
            1: "Enable",
        ],
        .remoteKey: [
            0: "Rewind",
            1: "FastForward",
            2: "NextTrack",
            3: "PreviousTrack",
            4: "ArrowUp",
            5: "ArrowDown",
            6: "ArrowLeft",
            7: "ArrowRight",
            8: "Select",
            9: "Back",
            10: "Exit",
            11: "PlayPause",
            15: "Information",
        ],
        .rotationDirection: [
            0: "Clockwise",
            1: "CounterClockwise",
        ],
        .routerStatus: [
            0: "Ready",
            1: "NotReady",
        ],
        .securitySystemCurrentState: [
            0: "StayArm",
            1: "AwayArm",
            2: "NightArm",
            3: "Disarmed",
            4: "AlarmTriggered",
        ],
        .securitySystemTargetState: [
            0: "StayArm",
            1: "AwayArm",
            2: "NightArm",
            3: "Disarm",
        ],
        .serviceLabelNamespace: [
            0: "Dots",
            1: "ArabicNumerals",
        ],
        .siriInputType: [
            0: "PushButtonTriggeredAppleTV",
        ],
        .slatType: [
            0: "Horizontal",
            1: "Vertical",
        ],
        .sleepDiscoveryMode: [
            0: "NotDiscoverable",
            1: "AlwaysDiscoverable",
        ],
        .smokeDetected: [
            0: "SmokeNotDetected",
            1: "SmokeDetected",
        ],
        .statusFault: [
            0: "NoFault",
            1: "GeneralFault",
        ],
        .statusJammed: [
            0: "NotJammed",
            1: "Jammed",
        ],
        .statusLowBattery: [
            0: "BatteryLevelNormal",
            1: "BatteryLevelLow",
        ],
        .statusTampered: [
            0: "NotTampered",
            1: "Tampered",
        ],
        .swingMode: [
            0: "SwingDisabled",
            1: "SwingEnabled",
        ],
        .targetAirPurifierState: [
            0: "Manual",
            1: "Auto",
        ],
        .targetDoorState: [
            0: "Open",
            1: "Closed",
        ],
        .targetFanState: [
            0: "Manual",
            1: "Auto",
        ],
        .targetHeaterCoolerState: [
            0: "Auto",
            1: "Heat",
            2: "Cool",
        ],
        .targetHeatingCoolingState: [
            0: "Off",
            1: "Heat",
            2: "Cool",
            3: "Auto",
        ],
        .targetHumidifierDehumidifierState: [
            0: "HumidifierOrDehumidifier",
            1: "Humidifier",
            2: "Dehumidifier",
        ],
        .targetMediaState: [
            0: "Play",
            1: "Pause",
            2: "Stop",
        ],
        .targetVisibilityState: [
            0: "Shown",
            1: "Hidden",
        ],
        .temperatureDisplayUnits: [
            0: "Celsius",
            1: "Fahrenheit",
        ],
        .thirdPartyCameraActive: [
            0: "Off",
            1: "On",
        ],
        .valveType: [
            0: "GenericValve",
            1: "Irrigation",
            2: "ShowerHead",
            3: "WaterFaucet",
        ],
        .volumeControlType: [
            0: "None",
            1: "Relative",
            2: "RelativeWithCurrent",
            3: "Absolute",
        ],
        .volumeSelector: [
            0: "Increment",
            1: "Decrement",
        ],
        .wiFiSatelliteStatus: [
            0: "Unknown",
            1: "Connected",
            2: "NotConnected",
        ],
    ]
}
