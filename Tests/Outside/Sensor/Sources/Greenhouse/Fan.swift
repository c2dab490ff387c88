import FoundationEssentials

/// A fan: a file that contains 1 for on and 0 for off, like the kernel's file for a pin.
struct Fan {
    let path: String

    /// Switches the fan, and returns whether that succeeded.
    func set(_ isOn: Bool) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return false }
        return (try? (isOn ? "1" : "0").write(toFile: path, atomically: false, encoding: .utf8)) != nil
    }
}
