package import HAPController

extension HomeHub {
    /// The hub's configuration, which the daemon provides.
    package struct Configuration: Sendable {
        package var systemApp: SystemApp
        package var restrictions = AppRestrictions()
        /// The apps that were installed with access to the homes.
        package var installedApps: Set<InstalledApp> = []
        /// The maximum number of notifications that wait for a session.
        package var feedLimit = ChangeFeed.defaultLimit
        /// The longest time to wait for a vendor's app to connect and answer.
        package var vendorTimeout = Duration.seconds(60)
        /// The longest time that a call waits for permission.
        ///
        /// Most apps time out earlier.
        package var permissionTimeout = Duration.seconds(600)
        /// The longest time to wait until an accessory to add becomes visible.
        package var searchTimeout = Duration.seconds(10)
        /// The longest time to wait for an accessory whose label was scanned, or for the device in a repair.
        package var labelSearchTimeout = Duration.seconds(5)
        /// The time that a new accessory has to accept a connection before it counts as unreachable.
        package var admissionTime = Duration.seconds(10)
        /// The longest time that a call waits while an accessory without a link is unpaired.
        var unpairingTimeout = Duration.seconds(30)
        /// The longest time that an app's change of the homes waits while the store is busy with earlier changes.
        ///
        /// It's shorter than the timeout of apps.
        package var storeTimeout = Duration.seconds(20)
        /// The interval between writes of values to the store.
        package var saveInterval = Duration.seconds(60)
        /// The interval between writes of past values to the store.
        ///
        /// It's long, so that the writes don't wear out a memory card.
        package var historyInterval = Duration.seconds(300)
        /// The time until changes of an accessory that couldn't be stored are retried.
        var storeRetryInterval = Duration.seconds(10)
        /// The minimum interval between updates of a home from an accessory's attribute database.
        package var databaseInterval = Duration.seconds(5)
        /// The interval between reads of state that an accessory doesn't report.
        package var pollInterval = Duration.seconds(60)
        /// The pauses between reads of a service after its target was written.
        ///
        /// The hub stops reading after the last one, even if the target isn't reached.
        package var targetPauses = [1, 2, 4, 8, 15, 30, 60, 60].map { Duration.seconds($0) }
        /// The delays of automations after the hub's start, and the interval of their checks.
        package var automationTiming = Automations.Timing()
        /// The time during which failed actions of automations are retried.
        package var actionTimeout = Duration.seconds(60)
        /// The longest pause between attempts at a failed action.
        package var actionRetryInterval = Duration.seconds(5)
        package var timing = ControllerTiming()

        package init(systemApp: SystemApp) { self.systemApp = systemApp }
    }
}
