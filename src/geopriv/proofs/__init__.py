"""Does a promise hold (audits), and how far is a mechanism from the best possible (floors)?"""
