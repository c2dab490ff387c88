// The values of common services, with their Swift types.

extension CharacteristicKey<Bool> {
    /// On or off.
    public static var on: Self { Self(.on) }
    /// Whether something moves.
    public static var motionDetected: Self { Self(.motionDetected) }
    /// Whether somebody is there.
    public static var occupancyDetected: Self { Self(.occupancyDetected) }
    /// Whether there is water.
    public static var leakDetected: Self { Self(.leakDetected) }
    /// Whether there is smoke.
    public static var smokeDetected: Self { Self(.smokeDetected) }
    /// Whether something is in the way.
    public static var obstructionDetected: Self { Self(.obstructionDetected) }
    /// Whether something draws current.
    public static var outletInUse: Self { Self(.outletInUse) }
    /// Whether the battery is low.
    public static var statusLowBattery: Self { Self(.statusLowBattery) }
    /// Whether it works.
    public static var active: Self { Self(.active) }
    /// Whether the contact is open.
    public static var contactSensorState: Self { Self(.contactSensorState) }
    /// Whether a fan oscillates.
    public static var swingMode: Self { Self(.swingMode) }
}

extension CharacteristicKey<Int> {
    /// Brightness in percent, 0 to 100.
    public static var brightness: Self { Self(.brightness) }
    /// Colour temperature in mired, as a rule 140 to 500.
    public static var colorTemperature: Self { Self(.colorTemperature) }
    /// How far it is open, in percent.
    public static var currentPosition: Self { Self(.currentPosition) }
    /// How far it is to be open, in percent.
    public static var targetPosition: Self { Self(.targetPosition) }
    /// Which way a fan turns: 0 is clockwise, 1 is counterclockwise.
    public static var rotationDirection: Self { Self(.rotationDirection) }
    /// How full the battery is, in percent.
    public static var batteryLevel: Self { Self(.batteryLevel) }
    /// The press of a button: 0 is single, 1 is double, 2 is long.
    public static var programmableSwitchEvent: Self { Self(.programmableSwitchEvent) }
}

extension CharacteristicKey<Double> {
    /// Hue in degrees, 0 to 360.
    public static var hue: Self { Self(.hue) }
    /// Saturation in percent, 0 to 100.
    public static var saturation: Self { Self(.saturation) }
    /// Speed in percent, 0 to 100.
    public static var rotationSpeed: Self { Self(.rotationSpeed) }
    /// Temperature in degrees Celsius.
    public static var currentTemperature: Self { Self(.currentTemperature) }
    /// Wanted temperature in degrees Celsius.
    public static var targetTemperature: Self { Self(.targetTemperature) }
    /// Humidity in percent.
    public static var currentRelativeHumidity: Self { Self(.currentRelativeHumidity) }
    /// Light in lux.
    public static var currentAmbientLightLevel: Self { Self(.currentAmbientLightLevel) }
}

extension CharacteristicKey<LockState> {
    /// What the lock is.
    public static var lockCurrentState: Self { Self(.lockCurrentState) }
    /// What the lock is to be.
    public static var lockTargetState: Self { Self(.lockTargetState) }
}

extension CharacteristicKey<DoorState> {
    /// What the door is.
    public static var currentDoorState: Self { Self(.currentDoorState) }
    /// What the door is to be.
    public static var targetDoorState: Self { Self(.targetDoorState) }
}

extension CharacteristicKey<HeatingCoolingMode> {
    /// What it does.
    public static var currentHeatingCoolingState: Self { Self(.currentHeatingCoolingState) }
    /// What it is to do.
    public static var targetHeatingCoolingState: Self { Self(.targetHeatingCoolingState) }
}

extension CharacteristicKey<ChargingState> {
    /// Whether the battery is charged.
    public static var chargingState: Self { Self(.chargingState) }
}
