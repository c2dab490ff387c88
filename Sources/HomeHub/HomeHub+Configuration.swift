package import HAPController

extension HomeHub {
    /// What the daemon decides about its hub.
    package struct Configuration: Sendable {
        package var systemApp: SystemApp
        package var restrictions = AppRestrictions()
        /// How many notifications may wait for a session.
        package var feedLimit = ChangeFeed.defaultLimit
        /// How long a maker's app has to come and answer.
        package var vendorTimeout = Duration.seconds(60)
        /// How long a call waits for permission; apps wait less long, mostly.
        package var permissionTimeout = Duration.seconds(600)
        /// How long an accessory that is to be added may take to be seen.
        package var searchTimeout = Duration.seconds(10)
        /// How long one may take whose label was scanned.
        package var labelSearchTimeout = Duration.seconds(5)
        /// How long an accessory that was just added may take to let us in, before it is said not to answer.
        package var admissionTime = Duration.seconds(10)
        /// How long a call waits for an accessory that is only to be unpaired.
        var unpairingTimeout = Duration.seconds(30)
        /// How long an app's change of the homes waits while the store is busy with earlier ones; apps wait longer.
        package var storeTimeout = Duration.seconds(20)
        /// How much time lies between two stores of values.
        package var saveInterval = Duration.seconds(60)
        /// How long it takes until an accessory's changes are stored again that could not be.
        var storeRetryInterval = Duration.seconds(10)
        /// How much time lies between two times at which a home takes over what an accessory consists of.
        package var databaseInterval = Duration.seconds(5)
        /// The interval between two reads of state that an accessory doesn't report.
        package var pollInterval = Duration.seconds(60)
        /// The pauses between the reads after a write to a target; their sum is the longest time that a target is followed.
        package var targetPauses = [1, 2, 4, 8, 15, 30, 60, 60].map { Duration.seconds($0) }
        package var timing = ControllerTiming()

        package init(systemApp: SystemApp) { self.systemApp = systemApp }
    }
}
