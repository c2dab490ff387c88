internal import OperatorControl

extension Diagnosis {
    /// Checks the system D-Bus, to which the daemon is connected if `isUsed` is true.
    static func bus(_ outcome: UnixProbe.Outcome, isUsed: Bool, _ daemon: OperatedDaemon) -> CheckResult {
        switch outcome {
        case .answers: .ok(.bus, "the system D-Bus answers")
        // The daemon may use a different bus than this command.
        case _ where isUsed: .ok(.bus, "the \(daemon.subject) is connected to the system D-Bus")
        case .absent:
            .wrong(
                .bus, "the system D-Bus isn't running, and Avahi requires it", "start it: systemctl start dbus")
        case .silent:
            .wrong(
                .bus, "the system D-Bus doesn't answer", "check journalctl -u dbus; if it hangs, restart the computer")
        case .refused(let reason):
            .wrong(
                .bus, "can't connect to the system D-Bus: \(reason)", "check the permissions of its socket in /run/dbus"
            )
        }
    }

    /// Checks the Avahi daemon, to which the daemon is connected if `isUsed` is true.
    static func avahi(_ outcome: UnixProbe.Outcome, isUsed: Bool, _ daemon: OperatedDaemon) -> CheckResult {
        switch outcome {
        case .answers: .ok(.avahi, "the Avahi daemon answers")
        case .silent:
            .wrong(
                .avahi, "the Avahi daemon hangs: it accepts connections but doesn't answer",
                "restart it: systemctl restart avahi-daemon")
        // The Avahi daemon may run outside this container and share only its bus, so its socket may be missing.
        case _ where isUsed: .ok(.avahi, "the \(daemon.subject) is connected to the Avahi daemon")
        case .absent:
            .wrong(.avahi, "the Avahi daemon isn't running", "start it: systemctl enable --now avahi-daemon")
        case .refused(let reason):
            .wrong(
                .avahi, "can't connect to the Avahi daemon: \(reason)",
                "check the permissions of its socket in /run/avahi-daemon")
        }
    }
}
