public import HAPModel

extension Service {
    /// Returns the last received value of a characteristic.
    ///
    /// It's `nil` if the service has no such characteristic, no value was received, or the value has a different type.
    public subscript<Value>(key: CharacteristicKey<Value>) -> Value? {
        characteristic(key.type)?.value.flatMap(Value.init)
    }
}
