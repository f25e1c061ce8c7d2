package io.dht4j.transport.common;

/**
 * Shares the places of a listener among remote addresses. The last places are for addresses with few connections, so
 * that two addresses with busy connections cannot take all.
 */
public final class ConnectionShares {

    /** One place of so many is a last one. */
    private static final int LAST_OF = 16;

    /** An address has few connections if it has less than one of so many places. */
    private static final int FEW_OF = 256;

    private ConnectionShares() {}

    /**
     * Returns whether one address may have all places. Then its own connections give way to its new ones.
     *
     * @param places the maximum number of connections
     * @param perAddress the maximum number of one address
     * @return whether the second bound is no smaller
     */
    public static boolean oneAddressMayHaveAll(int places, int perAddress) {
        return perAddress >= places;
    }

    /**
     * Returns the number of connections above which an idle one has to give way to another one of an address.
     *
     * @param places the maximum number of connections
     * @param perAddress the maximum number of one address
     * @param ofAddress how many the address has
     * @return all places, or all but the last ones
     */
    public static int placesFor(int places, int perAddress, int ofAddress) {
        boolean hasFew = ofAddress < Math.max(1, places / FEW_OF);
        return hasFew || oneAddressMayHaveAll(places, perAddress) ? places : places - places / LAST_OF;
    }
}
