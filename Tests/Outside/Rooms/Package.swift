// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Rooms",
    dependencies: [.package(name: "lamplighter", path: "../../..", traits: [])],
    targets: [
        .executableTarget(name: "Rooms", dependencies: [.product(name: "HomeClient", package: "lamplighter")])
    ]
)
