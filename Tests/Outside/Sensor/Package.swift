// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Greenhouse",
    dependencies: [.package(name: "lamplighter", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "Greenhouse", dependencies: [.product(name: "HAPAccessory", package: "lamplighter")])
    ]
)
