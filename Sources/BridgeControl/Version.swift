/// The version of daemon and command, which belong together.
package enum Version {
    package static let current = "0.1.0"
}
