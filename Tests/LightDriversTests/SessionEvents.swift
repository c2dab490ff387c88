import DeviceKit

@testable import LightDrivers

extension DeviceSession {
    /// Creates a session with a device that has a configured address.
    init(name: String, options: Options, now: Duration) {
        self.init(
            target: .configured(DeviceHost(host: name)), kinds: Set(LightKind.allCases), options: options, now: now)
    }
}

extension Array {
    /// The reports among the events of a session.
    func reports<Output>() -> [LightReport] where Element == SessionEvent<Output> {
        compactMap { if case .report(_, let report) = $0 { report } else { nil } }
    }

    /// The last list of lights among the events of a session.
    func lights<Output>() -> [LightDescription]? where Element == SessionEvent<Output> {
        compactMap { if case .lights(let lights) = $0 { lights } else { nil } }.last
    }
}
