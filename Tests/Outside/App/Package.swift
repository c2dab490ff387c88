// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Lights",
    dependencies: [.package(name: "lamplighter", path: "../../..", traits: [])],
    targets: [
        .executableTarget(name: "Lights", dependencies: [.product(name: "HomeClient", package: "lamplighter")])
    ]
)
