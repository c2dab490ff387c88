/// Coding keys with remedies for missing keys, and for other keys that users mistakenly use.
package protocol RemediedKeys: CodingKey {
    /// The remedies by missing or unknown key.
    ///
    /// For example, the remedy for `host` is `use url: mqtt://HOST:1883`.
    static var remedies: [String: String] { get }
}
