import Testing
@testable import LightDrivers
