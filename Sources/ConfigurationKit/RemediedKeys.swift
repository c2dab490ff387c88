/// Coding keys with remedies for keys that are missing, or that people write instead of these.
package protocol RemediedKeys: CodingKey {
    /// The remedies, by missing or unknown key, such as `write url: mqtt://HOST:1883` for `host`.
    static var remedies: [String: String] { get }
}
