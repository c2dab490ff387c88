// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "testing",
    dependencies: [.package(name: "lamplighter", path: "../../..", traits: [])],
    targets: [
        .target(name: "Fan", dependencies: [.product(name: "HAPAccessory", package: "lamplighter")]),
        .testTarget(
            name: "FanTests",
            dependencies: ["Fan", .product(name: "HAPAccessoryTesting", package: "lamplighter")]),
    ]
)
