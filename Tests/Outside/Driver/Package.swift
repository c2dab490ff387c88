// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "FolderLights",
    dependencies: [
        .package(name: "lamplighter", path: "../../..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(
            name: "FolderLights",
            dependencies: [
                .product(name: "DeviceKit", package: "lamplighter"), .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "check-folder-lights",
            dependencies: ["FolderLights", .product(name: "LightDriverTesting", package: "lamplighter")]),
    ]
)
