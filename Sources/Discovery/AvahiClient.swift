import CAvahi
import Glibc
import Synchronization
import SystemKit

/// A connection to the Avahi daemon through libavahi-client, with a dedicated thread.
///
/// This file contains all unsafe Avahi pointers.
///
/// libavahi's calls wait for the Avahi daemon's answer, which can take up to half a minute if the daemon hangs.
/// Therefore, only the poll thread makes these calls, and no other thread takes the poll's lock. Other threads store a
/// request and call ``wake()``.
///
/// `@unchecked Sendable` is sound because only the poll thread uses the fields after ``start(_:)`` has returned. The
/// exceptions are `poll`, `wakeUp` and `timer`, which never change. ``wake()`` only writes to a file descriptor, and
/// ``close()`` uses the other fields after it has joined the thread.
final class AvahiClient: @unchecked Sendable {
    enum Event {
        case woken
        case timeReached
        /// Interfaces, addresses or routes may have changed.
        case networkChanged
        case client(ClientState)
        case registration(PublicationMachine.RegistrationState, on: Int32)
        case browser(BrowseMachine.BrowserEvent)
        case resolver(BrowseMachine.ResolverEvent, of: BrowseMachine.Announcement)
        case addresses(BrowseMachine.AddressEvent, of: BrowseMachine.Host)
    }

    private let poll: OpaquePointer
    private let wakeUp: Int32
    private let timer: Int32
    private let network: Int32
    private var watches: [OpaquePointer] = []
    private var handler: ((Event) -> Void)?
    private var client: OpaquePointer?
    private var registrations: [Int32: Registration] = [:]
    private var browser: OpaquePointer?
    private var resolvers: [BrowseMachine.Announcement: Resolver] = [:]
    private var addressBrowsers: [BrowseMachine.Host: AddressBrowser] = [:]

    /// An entry group and the context of its callback.
    private final class Registration {
        unowned let owner: AvahiClient
        let interface: Int32
        var group: OpaquePointer?

        init(owner: AvahiClient, interface: Int32) {
            self.owner = owner
            self.interface = interface
        }
    }

    /// A resolver and the context of its callback.
    private final class Resolver {
        unowned let owner: AvahiClient
        let announcement: BrowseMachine.Announcement
        var resolver: OpaquePointer?

        init(owner: AvahiClient, announcement: BrowseMachine.Announcement) {
            self.owner = owner
            self.announcement = announcement
        }
    }

    /// The browsers for the A and AAAA records of one host, and the context of their callback.
    private final class AddressBrowser {
        unowned let owner: AvahiClient
        let host: BrowseMachine.Host
        var browsers: [OpaquePointer] = []

        init(owner: AvahiClient, host: BrowseMachine.Host) {
            self.owner = owner
            self.host = host
        }
    }

    init() throws(DiscoveryError) {
        guard let poll = avahi_threaded_poll_new() else {
            throw DiscoveryError(message: "can't create Avahi's event loop: out of memory")
        }
        self.poll = poll
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        network = Self.networkSocket()
        guard wakeUp >= 0, timer >= 0 else {
            throw DiscoveryError(message: "can't create Avahi's event loop: \(SystemError.last.reason)")
        }
    }

    // Free these here instead of in `close()`, because a client that was never started also has them.
    deinit {
        avahi_threaded_poll_free(poll)
        for descriptor in [wakeUp, timer, network] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// A Boolean value that indicates whether the kernel reports network changes.
    ///
    /// It is `false` in a sandbox without AF_NETLINK.
    var watchesNetwork: Bool { network >= 0 }

    /// Starts the thread, which calls `handler` with each event in order.
    func start(_ handler: @escaping (Event) -> Void) throws(DiscoveryError) {
        self.handler = handler
        for descriptor in [wakeUp, timer, network] where descriptor >= 0 { watch(descriptor) }
        guard avahi_threaded_poll_start(poll) == 0 else {
            throw DiscoveryError(message: "can't start a thread for Avahi")
        }
        // The thread's callbacks use an unretained pointer to this object, so it must live as long as the thread.
        _ = Unmanaged.passRetained(self)
    }

    // MARK: On any thread

    /// Schedules ``Event/woken``.
    func wake() {
        eventfd_write(wakeUp, 1)
    }

    /// Ends the thread.
    ///
    /// If the thread is inside a libavahi call, this function blocks until that call returns, so callers must rule that
    /// out.
    func close() {
        avahi_threaded_poll_stop(poll)
        freeClient()
        if let api = avahi_threaded_poll_get(poll) {
            for watch in watches { api.pointee.watch_free(watch) }
        }
        watches = []
        handler = nil
        Unmanaged.passUnretained(self).release()
    }

    // MARK: On the poll thread

    /// Schedules ``Event/timeReached`` after the given delay, or cancels it if the delay is `nil`.
    ///
    /// Changes of the system clock don't affect the delay.
    func setTimer(_ delay: Duration?) {
        var due = itimerspec()
        if let delay {
            let (seconds, attoseconds) = max(delay, .milliseconds(1)).components
            due.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        }
        timerfd_settime(timer, 0, &due, nil)
    }

    /// Creates a client and frees the previous one.
    ///
    /// If the Avahi daemon isn't running yet, the client waits for it.
    ///
    /// - Returns: `.refused` with the reason if the client can't be created; otherwise, `nil`.
    func makeClient() -> ClientState? {
        freeClient()
        var code: Int32 = 0
        let callback: AvahiClientCallback = { client, state, context in
            guard let client, let context else { return }
            let owner = Unmanaged<AvahiClient>.fromOpaque(context).takeUnretainedValue()
            owner.handler?(.client(AvahiClient.state(state, of: client)))
        }
        client = avahi_client_new(
            avahi_threaded_poll_get(poll), AVAHI_CLIENT_NO_FAIL, callback, Unmanaged.passUnretained(self).toOpaque(),
            &code)
        return client == nil ? .refused(reason: "can't connect to the system D-Bus: \(Self.text(code))") : nil
    }

    func freeClient() {
        // This also frees the client's groups, browsers and resolvers. No callback is called afterwards.
        if let client { avahi_client_free(client) }
        client = nil
        registrations = [:]
        browser = nil
        resolvers = [:]
        addressBrowsers = [:]
    }

    /// This host's name in SRV records.
    ///
    /// It changes if another host uses the same name.
    var hostName: String? {
        client.flatMap { avahi_client_get_host_name_fqdn($0) }.map { String(cString: $0) }
    }

    // MARK: On the poll thread: publishing

    /// Starts registering the service on an interface.
    ///
    /// - Returns: The error, or `nil` if the registration has started.
    func addService(
        on interface: Int32, name: String, record: ServiceRecord
    ) -> PublicationMachine.RegistrationState? {
        guard let client else { return .failed(reason: "not connected to Avahi") }
        removeService(on: interface)
        let registration = Registration(owner: self, interface: interface)
        let callback: AvahiEntryGroupCallback = { group, state, context in
            guard let group, let context else { return }
            let registration = Unmanaged<Registration>.fromOpaque(context).takeUnretainedValue()
            guard let state = AvahiClient.state(state, of: group) else { return }
            registration.owner.handler?(.registration(state, on: registration.interface))
        }
        let group = avahi_entry_group_new(client, callback, Unmanaged.passUnretained(registration).toOpaque())
        guard let group else { return .failed(reason: "EntryGroupNew: \(Self.text(avahi_client_errno(client)))") }
        registration.group = group
        registrations[interface] = registration

        let code = withStringList(record.txt) { txt in
            avahi_entry_group_add_service_strlst(
                group, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(rawValue: 0), name, record.type,
                nil, nil, record.port, txt)
        }
        if code == Int32(AVAHI_ERR_COLLISION) { return .collision }
        if code < 0 { return .failed(reason: "AddService: \(Self.text(code))") }
        let committed = avahi_entry_group_commit(group)
        return committed < 0 ? .failed(reason: "Commit: \(Self.text(committed))") : nil
    }

    /// Updates the TXT record of the service.
    ///
    /// - Returns: The error, or `nil` on success.
    func updateText(on interface: Int32, name: String, record: ServiceRecord) -> String? {
        guard let group = registrations[interface]?.group else { return "the service isn't registered" }
        let code = withStringList(record.txt) { txt in
            avahi_entry_group_update_service_txt_strlst(
                group, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(rawValue: 0), name, record.type,
                nil, txt)
        }
        return code < 0 ? Self.text(code) : nil
    }

    func removeService(on interface: Int32) {
        guard let group = registrations[interface]?.group else { return }
        avahi_entry_group_free(group)
        registrations[interface] = nil
    }

    /// Returns the next name to try if a name is in use, such as `Lamp #2` after `Lamp`.
    func alternative(to name: String) -> String {
        guard let next = avahi_alternative_service_name(name) else { return name }
        defer { avahi_free(next) }
        return String(cString: next)
    }

    // MARK: On the poll thread: browsing

    /// Starts browsing for services of a type, and stops any previous browsing.
    ///
    /// - Returns: The error, or `nil` on success.
    func browse(type: String) -> String? {
        guard let client else { return "not connected to Avahi" }
        for announcement in resolvers.keys { stopResolving(announcement) }
        for host in addressBrowsers.keys { stopBrowsingAddresses(of: host) }
        if let browser { avahi_service_browser_free(browser) }
        let callback: AvahiServiceBrowserCallback = { _, interface, family, event, name, _, _, _, context in
            guard let context else { return }
            let owner = Unmanaged<AvahiClient>.fromOpaque(context).takeUnretainedValue()
            let announcement = name.map {
                BrowseMachine.Announcement(
                    name: String(cString: $0), interface: interface, isIPv4: family == Int32(AVAHI_PROTO_INET))
            }
            guard let event = owner.browserEvent(event, announcement) else { return }
            owner.handler?(.browser(event))
        }
        browser = avahi_service_browser_new(
            client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), type, nil,
            AvahiLookupFlags(rawValue: 0), callback, Unmanaged.passUnretained(self).toOpaque())
        return browser == nil ? "ServiceBrowserNew: \(Self.text(avahi_client_errno(client)))" : nil
    }

    /// Starts resolving an announcement.
    ///
    /// - Returns: The error, or `nil` on success.
    func resolve(_ announcement: BrowseMachine.Announcement, type: String) -> String? {
        guard let client else { return "not connected to Avahi" }
        stopResolving(announcement)
        let resolver = Resolver(owner: self, announcement: announcement)
        let callback: AvahiServiceResolverCallback = {
            _, interface, _, event, _, _, _, host, address, port, txt, _, context in
            guard let context else { return }
            let resolver = Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
            var outcome = BrowseMachine.ResolverEvent.failed
            if event == AVAHI_RESOLVER_FOUND, let host, let address = AvahiClient.address(address, over: interface) {
                outcome = .found(
                    BrowseMachine.Resolution(
                        host: String(cString: host), port: port, address: address, txt: AvahiClient.record(txt)))
            }
            resolver.owner.handler?(.resolver(outcome, of: resolver.announcement))
        }
        let family = AvahiProtocol(announcement.isIPv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
        resolver.resolver = avahi_service_resolver_new(
            client, announcement.interface, family, announcement.name, type, nil, family, AvahiLookupFlags(rawValue: 0),
            callback, Unmanaged.passUnretained(resolver).toOpaque())
        guard resolver.resolver != nil else { return Self.text(avahi_client_errno(client)) }
        resolvers[announcement] = resolver
        return nil
    }

    func stopResolving(_ announcement: BrowseMachine.Announcement) {
        guard let resolver = resolvers.removeValue(forKey: announcement)?.resolver else { return }
        avahi_service_resolver_free(resolver)
    }

    /// Starts following the A and AAAA records of a host.
    ///
    /// - Returns: The error, or `nil` on success.
    func browseAddresses(of host: BrowseMachine.Host) -> String? {
        guard let client else { return "not connected to Avahi" }
        stopBrowsingAddresses(of: host)
        let browser = AddressBrowser(owner: self, host: host)
        addressBrowsers[host] = browser
        let callback: AvahiRecordBrowserCallback = {
            _, interface, _, event, _, _, type, data, size, _, context in
            guard let context else { return }
            let browser = Unmanaged<AddressBrowser>.fromOpaque(context).takeUnretainedValue()
            let isIPv4 = Int(type) == AVAHI_DNS_TYPE_A
            guard let event = AvahiClient.addressEvent(event, isIPv4: isIPv4, data, size, over: interface) else {
                return
            }
            browser.owner.handler?(.addresses(event, of: browser.host))
        }
        for type in [AVAHI_DNS_TYPE_A, AVAHI_DNS_TYPE_AAAA] {
            // Packets over IPv4 and over IPv6 may contain records of either type.
            let made = avahi_record_browser_new(
                client, host.interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), host.name, UInt16(AVAHI_DNS_CLASS_IN),
                UInt16(type), AvahiLookupFlags(rawValue: 0), callback, Unmanaged.passUnretained(browser).toOpaque())
            guard let made else { return Self.text(avahi_client_errno(client)) }
            browser.browsers.append(made)
        }
        return nil
    }

    func stopBrowsingAddresses(of host: BrowseMachine.Host) {
        for browser in addressBrowsers.removeValue(forKey: host)?.browsers ?? [] { avahi_record_browser_free(browser) }
    }

    // MARK: Implementation

    private func watch(_ descriptor: Int32) {
        guard let api = avahi_threaded_poll_get(poll) else { return }
        let callback: AvahiWatchCallback = { _, descriptor, _, context in
            guard let context else { return }
            Unmanaged<AvahiClient>.fromOpaque(context).takeUnretainedValue().readable(descriptor)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard let watch = api.pointee.watch_new(api, descriptor, AVAHI_WATCH_IN, callback, context) else { return }
        watches.append(watch)
    }

    private func readable(_ descriptor: Int32) {
        drain(descriptor)
        switch descriptor {
        case wakeUp: handler?(.woken)
        case timer: handler?(.timeReached)
        default: handler?(.networkChanged)
        }
    }

    private func drain(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 8192)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    private static func networkSocket() -> Int32 {
        let kinds = SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let netlink = socket(AF_NETLINK, Int32(kinds), NETLINK_ROUTE)
        guard netlink >= 0 else { return -1 }
        let groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE
        guard lamplighter_bind_netlink(netlink, UInt32(groups)) == 0 else {
            Glibc.close(netlink)
            return -1
        }
        return netlink
    }

    private func withStringList(_ record: TXTRecord, _ body: (UnsafeMutablePointer<AvahiStringList>?) -> Int32) -> Int32
    {
        // Avahi adds strings at the head of the list, so the last entry is added first.
        var list: UnsafeMutablePointer<AvahiStringList>?
        for entry in record.entries.reversed() {
            list =
                if let value = entry.bytes {
                    avahi_string_list_add_pair_arbitrary(list, entry.key, value, value.count)
                } else {
                    avahi_string_list_add(list, entry.key)
                }
        }
        defer { avahi_string_list_free(list) }
        return body(list)
    }

    private static func state(_ state: AvahiClientState, of client: OpaquePointer) -> ClientState {
        switch state {
        case AVAHI_CLIENT_S_RUNNING: .running
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: .registering
        case AVAHI_CLIENT_CONNECTING: .connecting
        default: .failed(reason: text(avahi_client_errno(client)))
        }
    }

    private static func state(
        _ state: AvahiEntryGroupState, of group: OpaquePointer
    ) -> PublicationMachine.RegistrationState? {
        switch state {
        case AVAHI_ENTRY_GROUP_UNCOMMITED: nil
        case AVAHI_ENTRY_GROUP_REGISTERING: .probing
        case AVAHI_ENTRY_GROUP_ESTABLISHED: .established
        case AVAHI_ENTRY_GROUP_COLLISION: .collision
        default: .failed(reason: text(avahi_client_errno(avahi_entry_group_get_client(group))))
        }
    }

    private func browserEvent(
        _ event: AvahiBrowserEvent, _ announcement: BrowseMachine.Announcement?
    ) -> BrowseMachine.BrowserEvent? {
        switch event {
        case AVAHI_BROWSER_NEW: announcement.map { .found($0) }
        case AVAHI_BROWSER_REMOVE: announcement.map { .lost($0) }
        case AVAHI_BROWSER_ALL_FOR_NOW: .allForNow
        case AVAHI_BROWSER_FAILURE: .failed(reason: client.map { Self.text(avahi_client_errno($0)) } ?? "no client")
        default: nil
        }
    }

    private static func addressEvent(
        _ event: AvahiBrowserEvent, isIPv4: Bool, _ data: UnsafeRawPointer?, _ size: Int, over interface: Int32
    ) -> BrowseMachine.AddressEvent? {
        if event == AVAHI_BROWSER_ALL_FOR_NOW { return .allForNow(isIPv4: isIPv4) }
        guard let data, size == (isIPv4 ? 4 : 16) else { return nil }
        let bytes = Array(UnsafeRawBufferPointer(start: data, count: size))
        return address(bytes, over: interface).flatMap { address in
            switch event {
            case AVAHI_BROWSER_NEW: .found(address)
            case AVAHI_BROWSER_REMOVE: .lost(address)
            default: nil
            }
        }
    }

    private static func address(_ address: UnsafePointer<AvahiAddress>?, over interface: Int32) -> ServiceAddress? {
        guard let address = address?.pointee else { return nil }
        let size = address.proto == Int32(AVAHI_PROTO_INET) ? 4 : 16
        return self.address(withUnsafeBytes(of: address.data) { Array($0.prefix(size)) }, over: interface)
    }

    private static func address(_ bytes: [UInt8], over interface: Int32) -> ServiceAddress? {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        let label = if_indextoname(UInt32(bitPattern: interface), &name).map { String(cString: $0) }
        return ServiceAddress(bytes: bytes, interface: interface, interfaceName: label ?? "\(interface)")
    }

    private static func record(_ list: UnsafeMutablePointer<AvahiStringList>?) -> TXTRecord {
        var strings: [[UInt8]] = []
        var next = list
        while let entry = next {
            let text = UnsafeBufferPointer(
                start: avahi_string_list_get_text(entry), count: avahi_string_list_get_size(entry))
            strings.append(Array(text))
            next = avahi_string_list_get_next(entry)
        }
        // The list starts with the last string of the record.
        return TXTRecord(strings: strings.reversed())
    }

    private static func text(_ code: Int32) -> String {
        let text = String(cString: avahi_strerror(code))
        guard code == Int32(AVAHI_ERR_ACCESS_DENIED) else { return text }
        return "\(text); the policy of the system D-Bus or of AppArmor forbids it for this user"
    }
}

/// The state of the connection to the Avahi daemon, which is an input of both machines.
enum ClientState: Equatable {
    /// No client could be created, because the bus is unavailable.
    case refused(reason: String)
    /// The bus is available, but the Avahi daemon isn't.
    case connecting
    /// The Avahi daemon is choosing its host name.
    case registering
    case running
    /// The client is unusable and must be replaced.
    case failed(reason: String)
}

/// Lets other threads detect that Avahi's thread is inside a call that doesn't return.
final class CallWatch: Sendable {
    static let complaint = "Avahi or the system D-Bus doesn't answer"

    /// The duration after which a pending call is reported.
    ///
    /// libdbus itself times out after 25 s.
    private static let timeout = Duration.seconds(3)

    private let began = Mutex<ContinuousClock.Instant?>(nil)

    func callBegan() { began.withLock { $0 = .now } }

    func callEnded() { began.withLock { $0 = nil } }

    var isStuck: Bool { began.withLock { $0.map { $0 + Self.timeout <= .now } ?? false } }
}
