// Keys for the characteristics of common services.

extension CharacteristicKey<Bool> {
    /// Whether the device is on.
    public static var on: Self { Self(.on) }
    /// Whether motion is detected.
    public static var motionDetected: Self { Self(.motionDetected) }
    /// Whether a person is present.
    public static var occupancyDetected: Self { Self(.occupancyDetected) }
    /// Whether a water leak is detected.
    public static var leakDetected: Self { Self(.leakDetected) }
    /// Whether smoke is detected.
    public static var smokeDetected: Self { Self(.smokeDetected) }
    /// Whether an obstruction is detected.
    public static var obstructionDetected: Self { Self(.obstructionDetected) }
    /// Whether a device plugged into the outlet draws current.
    public static var outletInUse: Self { Self(.outletInUse) }
    /// Whether the battery is low.
    public static var statusLowBattery: Self { Self(.statusLowBattery) }
    /// Whether the device is active.
    public static var active: Self { Self(.active) }
    /// Whether the contact is open.
    public static var contactSensorState: Self { Self(.contactSensorState) }
    /// Whether a fan is oscillating.
    public static var swingMode: Self { Self(.swingMode) }
}

extension CharacteristicKey<Int> {
    /// The brightness in percent, 0 to 100.
    public static var brightness: Self { Self(.brightness) }
    /// The color temperature in mired, usually 140 to 500.
    public static var colorTemperature: Self { Self(.colorTemperature) }
    /// The current position in percent; 100 is fully open.
    public static var currentPosition: Self { Self(.currentPosition) }
    /// The target position in percent; 100 is fully open.
    public static var targetPosition: Self { Self(.targetPosition) }
    /// The current angle of horizontal slats in degrees, -90 to 90.
    public static var currentHorizontalTiltAngle: Self { Self(.currentHorizontalTiltAngle) }
    /// The target angle of horizontal slats in degrees, -90 to 90.
    public static var targetHorizontalTiltAngle: Self { Self(.targetHorizontalTiltAngle) }
    /// The direction of a fan: 0 is clockwise, 1 is counterclockwise.
    public static var rotationDirection: Self { Self(.rotationDirection) }
    /// The battery's charge in percent.
    public static var batteryLevel: Self { Self(.batteryLevel) }
    /// The press of a button: 0 is single, 1 is double, 2 is long.
    public static var programmableSwitchEvent: Self { Self(.programmableSwitchEvent) }
}

extension CharacteristicKey<Double> {
    /// The hue in degrees, 0 to 360.
    public static var hue: Self { Self(.hue) }
    /// The saturation in percent, 0 to 100.
    public static var saturation: Self { Self(.saturation) }
    /// The speed of a fan in percent, 0 to 100.
    public static var rotationSpeed: Self { Self(.rotationSpeed) }
    /// The current temperature in degrees Celsius.
    public static var currentTemperature: Self { Self(.currentTemperature) }
    /// The target temperature in degrees Celsius.
    public static var targetTemperature: Self { Self(.targetTemperature) }
    /// The relative humidity in percent.
    public static var currentRelativeHumidity: Self { Self(.currentRelativeHumidity) }
    /// The ambient light level in lux.
    public static var currentAmbientLightLevel: Self { Self(.currentAmbientLightLevel) }
}

extension CharacteristicKey<LockState> {
    /// The current state of a lock.
    public static var lockCurrentState: Self { Self(.lockCurrentState) }
    /// The target state of a lock.
    public static var lockTargetState: Self { Self(.lockTargetState) }
}

extension CharacteristicKey<DoorState> {
    /// The current state of a garage door.
    public static var currentDoorState: Self { Self(.currentDoorState) }
    /// The target state of a garage door.
    public static var targetDoorState: Self { Self(.targetDoorState) }
}

extension CharacteristicKey<HeatingCoolingMode> {
    /// The current mode of a thermostat.
    public static var currentHeatingCoolingState: Self { Self(.currentHeatingCoolingState) }
    /// The target mode of a thermostat.
    public static var targetHeatingCoolingState: Self { Self(.targetHeatingCoolingState) }
}

extension CharacteristicKey<ChargingState> {
    /// The charging state of a battery.
    public static var chargingState: Self { Self(.chargingState) }
}
