public import HAPModel

extension Service {
    /// The value of a characteristic, as it was received last; `nil` if the service has none of that type, nothing was
    /// received yet, or it is of another kind.
    public subscript<Value>(key: CharacteristicKey<Value>) -> Value? {
        characteristic(key.type)?.value.flatMap(Value.init)
    }
}
