// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Remote",
    dependencies: [.package(name: "lamplighter", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "Remote", dependencies: [.product(name: "HAPController", package: "lamplighter")])
    ]
)
