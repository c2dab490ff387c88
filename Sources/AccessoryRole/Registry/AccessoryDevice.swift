/// The implementation of an accessory: a source, which returns one status per request, or a handler, which returns a
/// result for each value.
enum AccessoryDevice {
    case source(any AccessorySource)
    case handler(HandlerCalls)
}
