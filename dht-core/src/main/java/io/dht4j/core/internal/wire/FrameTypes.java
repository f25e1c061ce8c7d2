package io.dht4j.core.internal.wire;

/** The numbers of the messages. */
final class FrameTypes {

    static final int READ_KEYS = 1;
    static final int APPLY_ENTRIES = 2;
    static final int SCAN_PAGE = 3;
    static final int PING = 4;
    static final int BATCH = 5;
    static final int FOUND = 0x81;
    static final int APPLIED = 0x82;
    static final int PAGE = 0x83;
    static final int PONG = 0x84;
    static final int BATCHED = 0x85;
    static final int FAILED = 0xFF;

    private FrameTypes() {}
}
