/// The topic of a discovery message: `PREFIX/COMPONENT/[NODE_ID/]OBJECT_ID/config`.
package struct DiscoveryTopic: Hashable, Sendable {
    /// The component, such as `light` or `switch`, or `device` for the announcement of a whole device.
    package var component: String
    /// The optional middle part.
    package var nodeID: String?
    /// The part that identifies the entity or the device.
    package var objectID: String

    /// Parses a topic.
    ///
    /// Returns `nil` if it isn't a discovery topic with the prefix, or if its ids are invalid.
    ///
    /// An id may contain the characters `A-Z a-z 0-9 _ -`.
    package init?(_ topic: String, prefix: String) {
        guard topic.hasPrefix(prefix + "/") else { return nil }
        let parts = topic.dropFirst(prefix.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4, parts.last == "config" else { return nil }
        let ids = parts.dropLast()
        guard ids.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isAllowed) }) else { return nil }
        component = String(ids[0])
        nodeID = ids.count == 3 ? String(ids[1]) : nil
        objectID = String(ids[ids.count - 1])
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The key of an announcement of one entity on this topic.
    package var key: DiscoveryKey {
        DiscoveryKey(component: component, name: nodeID.map { "\($0) \(objectID)" } ?? objectID)
    }

    /// Returns the key of one part of a device-wide announcement on this topic.
    package func key(platform: String, part: String) -> DiscoveryKey {
        DiscoveryKey(component: platform, name: "\(objectID) \(nodeID.map { "\($0) \(part)" } ?? part)")
    }

    /// Returns the topics to subscribe to.
    ///
    /// They include only supported components.
    package static func filters(prefix: String) -> [String] {
        (components.sorted() + ["device"]).flatMap {
            ["\(prefix)/\($0)/+/config", "\(prefix)/\($0)/+/+/config"]
        }
    }
}

extension DiscoveryTopic {
    /// The supported components, by their names in discovery topics.
    static let components = MQTTComponents.all.reduce(into: Set(["light", "switch"])) { $0.formUnion($1.names) }
}

/// The identity of an announcement, which differs from the identity of the announced entity.
package struct DiscoveryKey: Hashable, Sendable {
    /// A Boolean value that indicates whether the announcement is from Zigbee2MQTT's own lists, not from Home
    /// Assistant's discovery.
    var isFromZigbee2MQTT: Bool { component == "zigbee2mqtt" }

    package var component: String
    package var name: String
}
