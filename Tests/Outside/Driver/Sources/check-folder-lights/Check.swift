import DeviceKit
import FolderLights
import FoundationEssentials
import LightDriverTesting
import Logging

@main
struct Check {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lights-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "off".write(toFile: folder + "/hall", atomically: true, encoding: .utf8)
        try "?".write(toFile: folder + "/cellar", atomically: true, encoding: .utf8)

        let contract = DriverContract(goodLight: "hall", lostLight: "cellar", timeout: .seconds(5)) {
            FolderLightsConfiguration(path: folder).makeDriver(logger: Logger(label: "check"))
        }
        let violations = try await contract.violations()
        for violation in violations { print("broken: \(violation)") }
        print(violations.isEmpty ? "the driver keeps its promises" : "the driver breaks promises")
    }
}
