package io.dht4j.store.mvstore.internal.statistics;

import jdk.jfr.FlightRecorder;

/** Detects whether the Flight Recorder may be recording. */
final class FlightRecording {

    /** False in a run-time image without the module. */
    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    /**
     * Returns false until the first recording of the process. Loading the class of an event earlier would start the
     * recorder of the JDK.
     */
    static boolean mayBeOn() {
        return AVAILABLE && FlightRecorder.isInitialized();
    }
}
