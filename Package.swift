// swift-tools-version: 6.2
//
// A target may import only the modules that it declares here, and its dependencies determine its layer.
// `Scripts/check-walls` checks the source and the picture in Documentation/Architecture.md.

import PackageDescription

// Debian's 6.2.3 compiles the programs for arm64. Tests are compiled only with 6.3.
#if compiler(<6.2)
#error("Lamplighter needs Swift 6.3 or newer: https://www.swift.org/install")
#endif

/// The next release, and the version of builds without `LAMPLIGHTER_VERSION`.
///
/// `Scripts/version` derives the version of each commit from it.
let nextRelease = "0.2.0"
let version = Context.environment["LAMPLIGHTER_VERSION"] ?? nextRelease

/// Warnings are errors in `.ci/run` only: a newer compiler must not break packages that depend on this one.
let isStrict = Context.environment["LAMPLIGHTER_STRICT"] != nil

let swift: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

/// Declares a dependency that only the programs and their drivers need.
///
/// A package that depends on Lamplighter with `traits: []` doesn't fetch it.
func programDependency(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Programs"]))
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL = programDependency("NIOSSL", "swift-nio-ssl")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let arguments = programDependency("ArgumentParser", "swift-argument-parser")
let hummingbird = programDependency("Hummingbird", "hummingbird")
let hummingbirdCore = programDependency("HummingbirdCore", "hummingbird")
let hummingbirdTLS = programDependency("HummingbirdTLS", "hummingbird")
let mustache = programDependency("Mustache", "swift-mustache")
let httpTypes = programDependency("HTTPTypes", "swift-http-types")
let nioHTTPTypes = programDependency("NIOHTTPTypes", "swift-nio-extras")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

/// The resources that are embedded in `homeweb`.
let webAssets =
    [
        "base.css", "style.css", "script.js", "icons.svg", "icon.svg", "icon-180.png", "icon-192.png", "icon-512.png",
        "icon-maskable.png", "manifest.webmanifest", "worker.js",
    ]
    + [
        "access", "access-fields", "access-link", "accessory", "add", "arrange", "automation", "automation-buttons",
        "automation-form", "automation-row", "automations", "bridge", "bridge-backup", "bridge-change",
        "bridge-device", "bridge-fields", "bridge-pairings", "bridge-systems", "bridge-warning",
        "bridge-warning-row", "bridge-warnings", "characteristic", "confirm", "control", "empty", "enter", "graphs",
        "activity", "activity-row", "home", "message",
        "more", "name-form", "names", "offer", "offline", "options", "order", "order-buttons", "page-begin", "page-end",
        "people", "privacy", "privacy-history",
        "problem", "room", "rooms",
        "scene", "scene-device", "scene-service", "scene-tile",
        "scenes",
        "reading", "search", "search-box", "search-result", "selection", "service", "service-state", "status",
        "status-chips",
        "strip", "tile", "toast",
    ].map { "\($0).mustache" }

func library(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swift)
}

/// Declares the executable of several programs, which are libraries with the names of the programs.
func programs(_ name: String, _ programs: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: programs.map { .target(name: $0) } + ["SystemKit", "CLocaleData"],
        swiftSettings: swift)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name), "TestTimeouts"] + dependencies,
        swiftSettings: swift)
}

let package = Package(
    name: "lamplighter",
    products: [
        .executable(name: "lamplighterd", targets: ["BridgePrograms"]),
        .executable(name: "lamplighter", targets: ["BridgePrograms"]),
        .executable(name: "homehubd", targets: ["HomePrograms"]),
        .executable(name: "homehub", targets: ["HomePrograms"]),
        .executable(name: "hapsim", targets: ["HomePrograms"]),
        .executable(name: "homeweb", targets: ["homeweb"]),
        .library(name: "HAPAccessory", targets: ["HAPAccessory"]),
        .library(name: "HAPController", targets: ["HAPController", "HAPModel"]),
        .library(name: "HomeClient", targets: ["HomeClient", "HomeModel"]),
        .library(name: "HomePresentation", targets: ["HomePresentation"]),
        .library(name: "DeviceKit", targets: ["DeviceKit", "HAPModel"]),
        .library(name: "HAPAccessoryTesting", targets: ["HAPAccessoryTesting"]),
        .library(name: "LightDriverTesting", targets: ["LightDriverTesting"]),
    ],
    traits: [
        .trait(name: "Programs", description: "What the programs need beyond the libraries"),
        .default(enabledTraits: ["Programs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    ],
    targets: [
        // C libraries, one module map each.
        .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CGMP", providers: [.apt(["libgmp-dev"])]),
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .target(
            name: "CLocaleData", cSettings: [.define("WITHOUT_LOCALE_DATA", .when(configuration: .release))]),
        .systemLibrary(name: "CProcess"),
        .systemLibrary(name: "CTimer"),

        // Reads QR codes with zxing-cpp, which has no C API.
        .target(name: "QRReading", linkerSettings: [.linkedLibrary("ZXing")]),

        // The programs' version, in C because only a C macro can be set for a build.
        .target(name: "CVersion", cSettings: [.define("LAMPLIGHTER_VERSION", to: "\"\(version)\"")]),

        library("AsyncKit"),
        library("Texts"),
        library("BoundedJSON"),
        library("ConfigurationKit"),
        library("Jinja", ["BoundedJSON"]),
        library("SystemKit"),
        library("TerminalKit", ["CVersion", "SystemKit"]),
        library("CommandKit", ["BoundedJSON", "SystemKit", "TerminalKit", arguments]),
        library("WebAccess", ["BoundedJSON", "HomeModel", "SystemKit", "TerminalKit"]),
        library("HAPModel"),
        library("SodiumKit", ["CSodium"]),
        library("HAPCrypto", ["SodiumKit", "CSodium", "CGMP"]),
        library("Discovery", ["AsyncKit", "CAvahi", "SystemKit", logging]),
        library("Dialing", [nioCore, nioPosix]),
        library("DeviceKit", ["ConfigurationKit", "HAPModel", logging]),
        library("HTTPKit", ["SystemKit", nioCore, nioPosix, nioHTTP1, nioSSL]),
        library("LineRPC", ["Dialing", "BoundedJSON", "SystemKit", nioCore, nioPosix, logging]),

        library("HAPProtocol", ["HAPModel", "HAPCrypto", "BoundedJSON"]),
        library(
            "LightPlugins",
            [
                "AsyncKit", "DeviceKit", "HAPModel", "LineRPC", "BoundedJSON", "SystemKit", "TerminalKit", "CProcess",
                logging,
            ]),
        library(
            "LightDrivers",
            [
                "LightPlugins", "DeviceKit", "HAPModel", "Dialing", "Discovery", "BoundedJSON", "Jinja", "AsyncKit",
                "HTTPKit", "SystemKit", "TerminalKit", "CMosquitto", "SodiumKit", logging, nioCore, nioPosix, nioHTTP1,
                nioWebSocket, nioSSL,
            ],
            exclude: ["MQTT/README.md"]),
        library("OperatorControl", ["LineRPC", "BoundedJSON", "SystemKit", "TerminalKit"]),
        library(
            "BridgeControl",
            ["OperatorControl", "DeviceKit", "HAPModel", "LineRPC", "BoundedJSON", "SystemKit", "TerminalKit", logging]),
        library("HubControl", ["OperatorControl", "LineRPC", "BoundedJSON", "TerminalKit", logging]),
        library("DatabaseKit", ["SystemKit", "TerminalKit", grdb, lifecycle, logging]),
        library(
            "DaemonKit",
            [
                "CMalloc", "LineRPC", "SystemKit", "TerminalKit", lifecycle, logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        library("YAMLKit", ["BoundedJSON", "ConfigurationKit", "CYAML", "SystemKit", "TerminalKit"]),
        library("SetupQR", ["CQREncode"]),
        library("PairingFiles", ["HAPModel", "BoundedJSON", "SystemKit", "TerminalKit"]),
        library("HomeModel", ["HAPModel", "BoundedJSON", "SystemKit", "Texts"]),
        library(
            "HomePresentation", ["HomeModel", "HAPModel", "BoundedJSON", "SystemKit", "TerminalKit", "Texts"]),

        library("HAPTransport", ["Dialing", "HAPProtocol", nioCore, nioPosix, logging]),
        library("AccessoryRole", ["HAPProtocol", "HAPModel", "HAPCrypto", "BoundedJSON", logging]),

        library(
            "HAPController",
            [
                "AsyncKit", "Dialing", "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto", "BoundedJSON",
                "Discovery", "SystemKit", logging, nioPosix,
            ]),

        library(
            "HAPAccessory",
            [
                "AsyncKit", "AccessoryRole", "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto", "Discovery",
                "DatabaseKit", "BoundedJSON", "SystemKit", grdb, lifecycle, logging, nioCore, nioPosix,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        library("DeviceBridge", ["AccessoryRole", "HAPProtocol", "HAPModel", "DeviceKit", logging]),
        library(
            "Doctor",
            [
                "AsyncKit", "OperatorControl", "BridgeControl", "HubControl", "LineRPC", "BoundedJSON", "SystemKit",
                "TerminalKit", nioCore, nioPosix,
            ]),
        library(
            "HomeHub",
            [
                "AsyncKit", "HomeModel", "HAPController", "HAPProtocol", "HAPModel", "HAPCrypto", "Discovery",
                "BoundedJSON", "SystemKit", "TerminalKit", logging,
            ]),
        library("HomeClient", ["AsyncKit", "HomeModel", "HAPModel", "LineRPC", "BoundedJSON", "SystemKit", logging]),
        library(
            "lamplighterd",
            [
                "HAPAccessory", "DeviceBridge", "AccessoryRole", "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto",
                "Discovery", "ConfigurationKit", "DaemonKit", "DatabaseKit", "DeviceKit", "LightDrivers", "LineRPC",
                "SodiumKit", "YAMLKit",
                "OperatorControl", "BridgeControl", "BoundedJSON", "PairingFiles", "SystemKit", "SetupQR",
                "TerminalKit",
                logging, grdb,
                lifecycle, arguments, nioCore,
                nioPosix,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        library(
            "lamplighter",
            [
                "AsyncKit", "CommandKit", "Doctor", "OperatorControl", "BridgeControl", "DeviceKit", "LightPlugins",
                "LineRPC", "BoundedJSON", "PairingFiles", "SetupQR", "SystemKit",
                "TerminalKit", "YAMLKit", logging, arguments,
            ]),

        library(
            "homehubd",
            [
                "HomeHub", "HomeModel", "HAPController", "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto",
                "OperatorControl", "HubControl",
                "Discovery", "ConfigurationKit", "DaemonKit", "DatabaseKit", "LineRPC", "SystemKit", "TerminalKit",
                "YAMLKit",
                "AsyncKit", "BoundedJSON", "CProcess", "CTimer", "Dialing", "HTTPKit", logging, grdb, lifecycle,
                arguments,
                nioCore, nioPosix, nioSSL,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        library(
            "homehub",
            [
                "AsyncKit", "CommandKit", "ConfigurationKit", "YAMLKit", "HomeClient", "HomeModel",
                "HomePresentation", "HAPModel", "PairingFiles", "WebAccess", "SetupQR", "BoundedJSON", "SystemKit",
                "TerminalKit", "Doctor", "OperatorControl", "HubControl", "LineRPC", arguments,
            ]),

        .executableTarget(
            name: "homeweb",
            dependencies: [
                "AsyncKit", "HomeClient", "HomeModel", "HomePresentation", "HAPModel", "WebAccess", "BridgeControl",
                "LineRPC", "SetupQR",
                "DaemonKit",
                "BoundedJSON", "SodiumKit", "SystemKit", "TerminalKit", "Texts", "CLocaleData", "CZlib", "QRReading",
                arguments,
                hummingbird,
                hummingbirdCore,
                hummingbirdTLS, mustache, lifecycle, .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                logging, nioCore, nioPosix, nioSSL, httpTypes, nioHTTPTypes,
            ],
            resources: (webAssets.map { "Assets/\($0)" } + ["Catalogs/de.po"]).map { .embedInCode($0) },
            swiftSettings: swift),

        library(
            "hapsim",
            [
                "HAPAccessory", "AccessoryRole", "HAPProtocol", "HAPModel", "HomeModel", "BoundedJSON",
                "ConfigurationKit",
                "DaemonKit", "SystemKit", "TerminalKit", "YAMLKit", logging, arguments, nioPosix,
            ]),

        programs("BridgePrograms", ["lamplighter", "lamplighterd"]),
        programs("HomePrograms", ["homehub", "homehubd", "hapsim"]),

        // Examples
        .executableTarget(
            name: "all-off", dependencies: ["HomeClient"], path: "Examples/AllOff", swiftSettings: swift),
        .executableTarget(
            name: "thermometer", dependencies: ["HAPAccessory", logging],
            path: "Examples/Thermometer", swiftSettings: swift),
        .executableTarget(
            name: "air-purifier", dependencies: ["HAPAccessory"], path: "Examples/AirPurifier", swiftSettings: swift),
        .executableTarget(
            name: "room-sensors", dependencies: ["HAPAccessory"], path: "Examples/RoomSensors", swiftSettings: swift),
        .executableTarget(
            name: "television", dependencies: ["HAPAccessory"], path: "Examples/Television", swiftSettings: swift),
        .executableTarget(
            name: "vendor-app", dependencies: ["HomeClient"], path: "Examples/VendorApp", swiftSettings: swift),

        .target(
            name: "NewDriver", dependencies: ["DeviceKit", logging], path: "Examples/NewDriver", swiftSettings: swift),

        // For tests only
        library(
            "HAPAccessoryTesting",
            [
                "AsyncKit", "HAPAccessory", "HAPController", "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto",
                "Discovery", logging, nioCore,
            ]),
        library("LightDriverTesting", ["DeviceKit"]),
        library(
            "HAPTesting",
            [
                "HAPAccessoryTesting", "LightDriverTesting", "DeviceBridge", "AccessoryRole", "HAPController",
                "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto", "BoundedJSON", "DeviceKit", "Discovery",
                logging, nioCore, nioPosix,
            ]),

        .target(name: "TestTimeouts", path: "Tests/TestTimeouts", swiftSettings: swift),
        .target(
            name: "HomeTesting", dependencies: ["HAPTesting", "HomeModel", "HAPModel"], path: "Tests/HomeTesting",
            swiftSettings: swift),

        .executableTarget(
            name: "hap-controller-probe",
            dependencies: [
                "AsyncKit", "HAPTesting", "HAPController", "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto",
                "Discovery", "BoundedJSON", logging, nioCore, nioPosix,
            ],
            path: "Tests/ControllerProbe", swiftSettings: swift),
        .executableTarget(
            name: "accessory-probe", dependencies: ["HAPAccessory", logging], path: "Tests/AccessoryProbe",
            swiftSettings: swift),
        .executableTarget(
            name: "home-probe", dependencies: ["HomeClient", "HomeModel", "HAPModel", "BoundedJSON", logging],
            path: "Tests/HomeProbe", swiftSettings: swift),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "HAPTesting", "DeviceBridge", "AccessoryRole", "ConfigurationKit", "YAMLKit", "Doctor",
                "LightDrivers",
                "LightPlugins",
                "HAPController",
                "HomeHub",
                "HomeModel", "HAPProtocol", "HAPModel", "HAPCrypto", "HTTPKit", "Discovery", "LineRPC", "BoundedJSON",
                "Jinja", "DeviceKit", "SystemKit", "TerminalKit", nioCore,
            ],
            path: "Tests/Fuzz", swiftSettings: swift),

        tests(of: "AsyncKit"),
        tests(of: "Texts"),
        tests(of: "Dialing"),
        tests(of: "Jinja", ["BoundedJSON"]),
        tests(of: "BoundedJSON"),
        tests(of: "ConfigurationKit"),
        tests(of: "TerminalKit"),
        tests(of: "SystemKit"),
        tests(of: "HAPCrypto", ["HAPTesting"]),
        tests(of: "HAPModel", ["HAPTesting", "BoundedJSON"]),
        tests(of: "HAPProtocol", ["HAPTesting", "HAPCrypto", "HAPModel", "BoundedJSON"]),
        tests(of: "NewDriver", ["HAPTesting", "DeviceKit", logging]),
        tests(of: "DeviceKit"),
        tests(
            of: "LightDrivers",
            [
                "HAPTesting", "HTTPKit", "DeviceKit", "Discovery", "BoundedJSON", "SodiumKit", "SystemKit", logging,
                nioCore, nioPosix,
            ]),
        tests(
            of: "LightPlugins", ["HAPTesting", "DeviceKit", "HAPModel", "LineRPC", "BoundedJSON", "AsyncKit", logging]),
        tests(of: "Discovery", [logging]),
        tests(of: "LineRPC", ["BoundedJSON", logging, nioCore, nioPosix]),
        tests(of: "DaemonKit", ["SystemKit", logging]),
        tests(of: "YAMLKit", ["BoundedJSON", "ConfigurationKit"]),
        tests(of: "DatabaseKit", [grdb, logging]),
        tests(
            of: "AccessoryRole",
            ["HAPTesting", "HAPProtocol", "HAPModel", "HAPCrypto", "BoundedJSON", logging, nioCore]),
        tests(
            of: "HAPAccessory",
            ["HAPTesting", "HAPAccessoryTesting", "HAPController", "HAPProtocol", "HAPModel", grdb, lifecycle, logging]),
        tests(of: "HAPAccessoryTesting", ["HAPAccessory", "HAPController", logging]),
        tests(
            of: "DeviceBridge",
            [
                "HAPTesting", "AccessoryRole", "HAPProtocol", "HAPModel", "HAPCrypto", "BoundedJSON", "DeviceKit",
                logging, nioCore,
            ]),
        tests(
            of: "HAPController",
            [
                "AsyncKit", "Dialing", "HAPTesting", "HAPTransport", "AccessoryRole", "HAPProtocol", "HAPModel",
                "HAPCrypto", "BoundedJSON", "Discovery", "DeviceKit", logging, nioCore, nioPosix,
            ]),
        tests(
            of: "HAPTransport",
            [
                "HAPTesting", "AccessoryRole", "HAPProtocol", "HAPModel", "HAPCrypto", "DeviceKit", logging, nioCore,
                nioPosix, .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        tests(
            of: "lamplighterd",
            [
                "HAPTesting", "HAPAccessory", "DeviceBridge", "AccessoryRole", "HAPProtocol", "HAPModel", "HAPCrypto",
                "Discovery",
                "ConfigurationKit", "DaemonKit", "DeviceKit", "LightDrivers", "LightPlugins", "BoundedJSON", "LineRPC",
                "YAMLKit",
                "BridgeControl", "PairingFiles",
                "HAPTransport", logging, grdb,
                nioCore,
                nioPosix,
            ]),
        tests(of: "HomeModel", ["HAPTesting", "HomeTesting", "HAPModel", "BoundedJSON"]),
        tests(of: "HomePresentation", ["HAPTesting", "HomeTesting", "HomeModel", "HAPModel", "Texts"]),
        tests(
            of: "HomeHub",
            [
                "AsyncKit", "HAPTesting", "HomeModel", "HAPController", "HAPTransport", "AccessoryRole", "HAPProtocol",
                "HAPModel",
                "HAPCrypto", "Discovery", "DeviceKit", "BoundedJSON", logging, nioCore, nioPosix,
            ]),
        tests(
            of: "HomeClient",
            [
                "AsyncKit", "HAPTesting", "HomeTesting", "home-probe", "vendor-app", "HomeHub", "HomeModel", "HAPModel",
                "LineRPC",
                "BoundedJSON",
                logging,
            ]),
        tests(
            of: "homehubd",
            [
                "AsyncKit", "HTTPKit", "HAPTesting", "HomeTesting", "HomeHub", "HomeClient", "HomeModel", "HubControl",
                "HAPController", "HAPTransport",
                "AccessoryRole",
                "HAPProtocol", "HAPModel", "HAPCrypto", "Discovery", "ConfigurationKit", "DaemonKit", "LineRPC",
                "YAMLKit",
                "BoundedJSON",
                logging, grdb, nioCore, nioPosix,
            ]),
        tests(
            of: "homehub",
            [
                "CommandKit", "HomeTesting", "HomeClient", "HomeModel", "HomePresentation", "HAPModel", "HubControl",
                "LineRPC", "BoundedJSON", "TerminalKit", logging,
            ]),
        tests(
            of: "homeweb",
            [
                "HomeTesting", "HomeModel", "HomePresentation", "HAPModel", "SetupQR", "WebAccess", "BridgeControl",
                "BoundedJSON", "Texts", httpTypes, hummingbirdCore, nioCore,
            ]),
        tests(of: "WebAccess"),
        tests(of: "PairingFiles", ["HAPModel", "BoundedJSON", "TerminalKit"]),
        tests(of: "SetupQR"),
        tests(of: "hapsim", ["YAMLKit", "HAPModel", "AccessoryRole"]),
        tests(of: "fuzz", ["HAPTesting", "BoundedJSON"]),
        tests(
            of: "lamplighter",
            ["CommandKit", "Doctor", "BridgeControl", "BoundedJSON", "LineRPC", "TerminalKit", "YAMLKit", logging]),
        tests(of: "Doctor", ["OperatorControl", "BridgeControl", "HubControl", "TerminalKit"]),
        tests(of: "BridgeControl", ["DeviceKit", "HAPModel", "LineRPC", "BoundedJSON", "TerminalKit", logging]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// Only `make docs` needs this plugin.
if Context.environment["LAMPLIGHTER_DOCS"] != nil {
    package.dependencies += [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]
}

// The benchmark programs. As targets of this package, they can use its `package` declarations. Other builds don't contain
// them; see Benchmarks/README.md.
if Context.environment["LAMPLIGHTER_BENCHMARKS"] != nil {
    package.targets += [
        .executableTarget(
            name: "hap-load",
            dependencies: [
                "HAPController", "HAPTransport", "HAPProtocol", "HAPModel", "HAPCrypto", "BoundedJSON", nioPosix,
            ],
            path: "Benchmarks/Load", swiftSettings: swift),
        .executableTarget(
            name: "hap-micro",
            dependencies: [
                "HAPTesting", "DeviceBridge", "AccessoryRole", "HAPProtocol", "HAPModel", "HAPCrypto", "BoundedJSON",
                "DeviceKit",
            ],
            path: "Benchmarks/Micro", swiftSettings: swift),
    ]
}
