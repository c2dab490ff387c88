// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "accessory",
    dependencies: [.package(name: "lamplighter", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "DeskLamp", dependencies: [.product(name: "HAPAccessory", package: "lamplighter")])
    ]
)
