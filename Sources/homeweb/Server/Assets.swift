import BoundedJSON
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import SodiumKit
import Texts

/// The files that pages refer to, which are part of the program and the same for all visitors of one language.
enum Assets {
    private static let offlineName = "offline.html"
    private static let workerName = "worker.js"

    private static let all: [String: (type: String, bytes: [UInt8])] = [
        "style.css": ("text/css; charset=utf-8", PackageResources.base_css + PackageResources.style_css),
        "script.js": ("text/javascript; charset=utf-8", PackageResources.script_js),
        "icons.svg": ("image/svg+xml", PackageResources.icons_svg),
        "icon.svg": ("image/svg+xml", PackageResources.icon_svg),
        "icon-192.png": ("image/png", PackageResources.icon_192_png),
        "icon-512.png": ("image/png", PackageResources.icon_512_png),
        "icon-maskable.png": ("image/png", PackageResources.icon_maskable_png),
        "worker.js": ("text/javascript; charset=utf-8", PackageResources.worker_js),
        "icon-180.png": ("image/png", PackageResources.icon_180_png),
        "manifest.webmanifest": ("application/manifest+json", PackageResources.manifest_webmanifest),
    ]

    /// The rules of Home, which are part of its HTML.
    static let baseStyle = String(decoding: PackageResources.base_css, as: UTF8.self)

    /// The only style that HTML may contain, as a source of the Content Security Policy.
    static let baseStyleSource = "'sha256-\(Base64.encode(SHA256.hash(PackageResources.base_css)))'"

    /// A value that changes with the files, so that browsers can cache unchanged files.
    static let version = hash(
        of: all.sorted { $0.key < $1.key }.flatMap(\.value.bytes) + PackageResources.page_begin_mustache
            + PackageResources.page_end_mustache
            + PackageResources.offline_mustache + PackageResources.de_po)

    /// The page that browsers show while this server can't be reached.
    private static var offline: [UInt8] {
        Array(
            Layout(title: localized("Lamplighter can't be reached"), content: Templates.render("offline", [:])).html
                .utf8)
    }

    /// Returns a short hash (FNV-1a).
    static func hash(of bytes: some Sequence<UInt8>) -> String {
        String(bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 36)
    }

    static func response(_ name: String, isVersioned: Bool) throws(WebError) -> Response {
        guard let asset = name == offlineName ? ("text/html; charset=utf-8", offline) : all[name] else {
            throw WebError(.notFound, localized("This file doesn't exist."))
        }
        var headers: HTTPFields = [
            .contentType: asset.type,
            .cacheControl: isVersioned ? "public, max-age=31536000, immutable" : "public, max-age=3600",
        ]
        if name == workerName {
            // The worker handles all pages. Browsers check it for updates, so that a later version can remove it.
            headers[.cacheControl] = "no-cache"
            headers[Guard.name("Service-Worker-Allowed")] = "/"
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }
}
