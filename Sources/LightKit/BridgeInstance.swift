extension CodingUserInfoKey {
    /// A `String` that tells this bridge from every other bridge of this host, such as the path of its state directory.
    ///
    /// The daemon sets it when it decodes driver configurations, and drivers that must give their bridge a stable name
    /// in the outside world (an MQTT client id) derive it from this.
    public static var bridgeInstance: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "org.lamplighter.bridge-instance") else {
            preconditionFailure("the standard library makes a key of any text")
        }
        return key
    }
}
