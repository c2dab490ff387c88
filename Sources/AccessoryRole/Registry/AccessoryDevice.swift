/// The part of the program behind an accessory.
enum AccessoryDevice {
    case source(any AccessorySource)
    case handler(HandlerCalls)
}
