package struct MQTTMessage: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var qos: Int
    package var retain: Bool

    package init(topic: String, payload: [UInt8], qos: Int = 0, retain: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
    }

    package init(topic: String, text: String, qos: Int = 0, retain: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }
}

package struct MQTTConnectionSettings: Equatable, Sendable {
    package var address: BrokerAddress
    /// The name we have there; two connections of one name throw each other out.
    package var clientID: String
    /// Who we are, if the broker asks.
    package var user: String?
    package var passwordFile: String?
    /// The certificates that may sign the broker's; the system's own if left out.
    package var caFile: String?
    /// Our certificate, if the broker asks for one.
    package var clientCertificate: String?
    package var clientKey: String?
    /// What the broker publishes when we vanish.
    package var will: MQTTMessage?

    package init(
        address: BrokerAddress, clientID: String, user: String? = nil, passwordFile: String? = nil,
        caFile: String? = nil, clientCertificate: String? = nil, clientKey: String? = nil, will: MQTTMessage? = nil
    ) {
        self.address = address
        self.clientID = clientID
        self.user = user
        self.passwordFile = passwordFile
        self.caFile = caFile
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.will = will
    }
}

/// What a connection takes at most.
package enum MQTTLimits {
    /// The longest message that is read, in bytes; longer ones are named and dropped.
    package static let payload = 256 << 10
    /// The longest list of devices that is read, in bytes: Zigbee2MQTT describes all of them in one message.
    package static let listing = 4 << 20
    /// The longest topic, in bytes.
    package static let topic = 1024
    /// The longest text of an announcement that is kept, in bytes.
    package static let text = 4096
    /// How many messages may wait for the broker.
    package static let outstanding = 1000
}
