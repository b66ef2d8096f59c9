package io.brain.server.config;

/** Version numbers that clients and operators see. */
public final class Versions {
    /** The release of etcd whose API is served. */
    public static final String API = "3.7.3";

    /** The cluster version that goes with it. */
    public static final String CLUSTER = "3.7.0";

    private Versions() {}

    /** This program's own version. */
    public static String brain() {
        String version = Versions.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
