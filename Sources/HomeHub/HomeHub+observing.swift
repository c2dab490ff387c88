import HAPController
import HAPProtocol
import HomeModel

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

extension HomeHub {
    /// A session wants to be told of values from now on, or no more.
    ///
    /// Switching on waits for what the accessories say; while one is not connected the wish is kept for it.
    func setNotification(_ isEnabled: Bool, for ids: [Characteristic.ID], _ call: Call) {
        let (results, actions) = feed.setNotification(isEnabled, for: ids, by: call.session, in: graph)
        perform(actions)
        guard isEnabled else { return answer(call, .success(results.json)) }
        // Also what another session has just asked for may yet be refused.
        let devices = Set(results.filter { $0.error == nil }.compactMap { place(of: $0.characteristic)?.device })
        guard devices.contains(where: { connections[$0]?.isSettling == true }) else {
            return answer(call, .success(results.json))
        }
        start {
            for device in devices { await self.untilSettled(device) }
            await self.answerUnlessRefused(call, results)
        }
    }

    private func untilSettled(_ device: DeviceID) async {
        guard let settled = connections[device]?.untilSettled() else { return }
        for await _ in settled {}
    }

    private func answerUnlessRefused(_ call: Call, _ results: [ValueResult]) {
        var results = results
        for index in results.indices where results[index].error == nil {
            guard let place = place(of: results[index].characteristic),
                let code = connections[place.device]?.refusals[place.id]
            else { continue }
            results[index].error = HomeError(code, accessory: place.accessory.id)
        }
        answer(call, .success(results.json))
    }

    /// Where a characteristic is.
    func place(of id: Characteristic.ID) -> (device: DeviceID, id: CharacteristicID, accessory: Accessory)? {
        guard let accessory = graph.accessory(of: id), let characteristic = accessory.characteristic(id) else {
            return nil
        }
        return (accessory.deviceID, CharacteristicID(accessory.aid, characteristic.iid), accessory)
    }

    // MARK: What accessories are asked to report

    /// Has accessories report what is observed of them now.
    func settleSubscriptions(of ids: [Characteristic.ID]) {
        for device in Set(ids.compactMap { graph.accessory(of: $0)?.deviceID }) { settleSubscriptions(at: device) }
    }

    /// Has an accessory report what is observed of it now, and nothing else; one such conversation at a time.
    func settleSubscriptions(at device: DeviceID) {
        guard connections[device]?.isSettling == false else { return }
        connections[device]?.isSettling = true
        start { await self.settle(device) }
    }

    private func settle(_ device: DeviceID) async {
        guard let link = connections[device]?.link else { return }
        while let connection = connections[device], connection.link === link {
            let active = feed.subscriptions
            let target = Set(connection.places.filter { active.contains($0.value) }.keys)
            // What cannot be reached is observed by nobody now, and yet it is by its reports that it comes back.
            let away = Set(graph.accessories(at: device).filter { !$0.isReachable }.map(\.aid))
            let more = target.subtracting(connection.wanted)
            let less = connection.wanted.subtracting(target)
                .filter { connection.places[$0] == nil || !away.contains($0.aid) }
            guard !more.isEmpty || !less.isEmpty else { break }
            connections[device]?.wanted = connection.wanted.union(more).subtracting(less)
            for id in more { connections[device]?.refusals[id] = nil }
            await link.unsubscribe(less)
            if !more.isEmpty { refused(await Self.refusals(of: more, by: link), at: device) }
        }
        guard connections[device]?.link === link else { return }
        connections[device]?.settled()
    }

    private static func refusals(
        of ids: Set<CharacteristicID>, by link: AccessoryLink
    ) async -> [CharacteristicID: HomeError.Code] {
        guard !ids.isEmpty else { return [:] }
        do throws(LinkError) {
            return try await link.enable(ids).compactMapValues {
                HomeError.Code(hapStatus: $0.rawValue, isBridged: false)
            }
        } catch .notConnected {
            // The link asks for it with the next connection.
            return [:]
        } catch {
            let code = HomeError.Code(error)
            return Dictionary(uniqueKeysWithValues: ids.map { ($0, code) })
        }
    }

    private func refused(_ refusals: [CharacteristicID: HomeError.Code], at device: DeviceID) {
        guard !refusals.isEmpty, let places = connections[device]?.places else { return }
        connections[device]?.refusals.merge(refusals) { $1 }
        feed.refused(refusals.keys.compactMap { places[$0] })
    }
}
