// swift-tools-version: 6.2

// The steps of the tutorials: programs and a driver that grow from step to step. Each step is a library, which is compiled
// and not linked. Parts.swift contains the types that a step keeps from earlier steps.

import PackageDescription

func step(_ name: String, _ libraries: String...) -> Target {
    .target(name: name, dependencies: libraries.map { .product(name: $0, package: "lamplighter") })
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "steps",
    dependencies: [
        .package(name: "lamplighter", path: "../../..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        step("Greenhouse1", "HAPAccessory"),
        step("Greenhouse2", "HAPAccessory"),
        step("Greenhouse3", "HAPAccessory"),
        step("Remote1", "HAPController"),
        step("Remote2", "HAPController"),
        step("Remote3", "HAPController"),
        step("Remote4", "HAPController"),
        step("Lights2", "HomeClient"),
        step("Lights3", "HomeClient"),
    ]
        + (1...3).map { number in
            .target(
                name: "FolderLights\(number)",
                dependencies: [.product(name: "DeviceKit", package: "lamplighter"), logging])
        }
)
