/// Coding keys with remedies for missing keys, and for keys that users mistakenly write instead of these.
package protocol RemediedKeys: CodingKey {
    /// The remedies by missing or unknown key.
    ///
    /// For example, the remedy for `host` is `write url: mqtt://HOST:1883`.
    static var remedies: [String: String] { get }
}
