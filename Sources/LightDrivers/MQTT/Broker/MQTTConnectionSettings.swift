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
    /// The client id.
    ///
    /// It must be unique: if two clients use the same id, they disconnect each other.
    package var clientID: String
    /// The user name, if the broker requires one.
    package var user: String?
    package var passwordFile: String?
    /// The file with the accepted CA certificates; `nil` to accept the system's CA certificates.
    package var caFile: String?
    /// The file with the client certificate, if the broker requires one.
    package var clientCertificate: String?
    package var clientKey: String?
    /// The message that the broker publishes if the connection is lost.
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

/// The limits of a connection.
package enum MQTTLimits {
    /// The longest accepted message, in bytes.
    ///
    /// Longer messages are reported and dropped.
    package static let payload = 256 << 10
    /// The longest accepted device list, in bytes.
    ///
    /// The limit is higher than ``payload``, because Zigbee2MQTT describes all devices in one message.
    package static let listing = 4 << 20
    /// The longest topic, in bytes.
    package static let topic = 1024
    /// The longest accepted text in an announcement, in bytes.
    package static let text = 4096
    /// The maximum number of messages that may be waiting to be sent to the broker.
    package static let outstanding = 1000
}
